# Which jobs follow from a lesson, which are already answered, and the engines that run the rest.
# The only room that starts processes.
