"""The version: stated here alone; the package's metadata, `bunraku.__version__` and every file written take it from
here."""

__version__ = "0.2.0"
