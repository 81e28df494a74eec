all: # TODO: split
	@echo done
