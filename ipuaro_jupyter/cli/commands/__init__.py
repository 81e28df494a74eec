"""The commands of ``ipuaro``, one to a module, each named ``command``."""
