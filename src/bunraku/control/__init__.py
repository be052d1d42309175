"""Controllers: what a figure's joints shall do, found from its equations of motion.

`whole_body` finds joint accelerations and contact forces together; `capture_point` is the law of balance for all who
keep it; `stabiliser` keeps a walker on its feet by its own sensors (with `walking_plan`, `state_estimate`,
`foot_placement`, `balance_law`, `balance_kernel`); `servo_gains` fits servos to a model; `bushes` puts rubber below the
ankles.
"""
