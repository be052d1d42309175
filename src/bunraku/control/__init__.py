"""Controllers: what a figure's joints shall do, found from its equations of motion.

`whole_body` joint accelerations and contact forces together; `stabiliser` a walker kept on its feet by its own sensors
(with `walking_plan`, `state_estimate`, `stepping`, `balance_kernel`); `servo_gains` servos that fit a model; `bushes`
rubber below the ankles.
"""
