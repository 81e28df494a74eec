from open_demo import demo

__all__ = ["demo"]
