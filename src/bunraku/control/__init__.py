"""Controllers: what a figure's joints shall do, found from its equations of motion."""
