# The package behind Labsheet: from a lesson's text to a validated page.
# It holds the version alone, so that a job's process may import it at no cost.
__version__ = "0.1.0"
