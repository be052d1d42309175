"""Still pictures, strobe pictures, films and plots, without display or GPU."""
