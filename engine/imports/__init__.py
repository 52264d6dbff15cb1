"""A model from its own files, offline: config.json, safetensors headers, GGUF headers. Nothing is executed or loaded."""

from engine.imports.reading import ImportedModel, import_config, import_gguf, import_model

__all__ = ["ImportedModel", "import_config", "import_gguf", "import_model"]
