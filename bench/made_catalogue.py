"""A catalogue made straight through the library: pictures that were never files, with features from elsewhere."""
import array
import ctypes as c
from pathlib import Path


class Picture(c.Structure):
    _fields_ = [("id", c.c_int64), ("path", c.c_char_p), ("state", c.c_int), ("error", c.c_char_p),
                ("bytes", c.c_uint64), ("mtime", c.c_int64), ("hash", c.c_uint64),
                ("sidecars", c.c_uint64), ("taken", c.c_int64),
                ("width", c.c_uint32), ("height", c.c_uint32)]


class Keyword(c.Structure):
    _fields_ = [("keyword", c.c_char_p), ("source", c.c_int)]


class Record(c.Structure):
    _fields_ = [("size", c.c_size_t), ("picture", Picture), ("keywords", c.POINTER(Keyword)),
                ("keyword_count", c.c_size_t), ("thumbnail", c.c_char_p), ("thumbnail_size", c.c_size_t),
                ("features", c.c_void_p), ("dim", c.c_size_t), ("direction", c.c_void_p),
                ("direction_dim", c.c_size_t), ("suggestions", c.c_void_p),
                ("suggestion_count", c.c_size_t)]


class Options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("mode", c.c_int), ("wait", c.c_double)]


class IndexOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("model", c.c_char_p), ("backbone", c.c_char_p), ("preset", c.c_char_p),
                ("output", c.c_char_p), ("bf16", c.c_bool), ("again", c.c_bool), ("settle", c.c_double),
                ("indexed", c.c_void_p), ("user", c.c_void_p)]


class Made:
    """A new catalogue at `path`. `backbone`, a description or FILE.onnx, made the features; `with` commits."""

    def __init__(self, build: Path, path: Path, backbone: str):
        self.lib = c.CDLL(str(build / "libfast0tag.so"))
        self.lib.f0t_last_error.restype = c.c_char_p
        self.handle = c.c_void_p()
        options = Options(c.sizeof(Options), 2, 10)
        self._call("f0t_catalogue_open", c.byref(self.handle), str(path).encode(), c.byref(options))
        self._call("f0t_catalogue_set_backbone", self.handle, self._describe(backbone))

    def _describe(self, backbone):
        if backbone.startswith("{"):
            return backbone.encode()
        opened = c.c_void_p()
        self._call("f0t_backbone_open", c.byref(opened), backbone.encode(), None, None)
        self.lib.f0t_backbone_description.restype = c.c_char_p
        text = self.lib.f0t_backbone_description(opened)
        self.lib.f0t_backbone_close(opened)
        return text

    def _call(self, name, *arguments):
        if getattr(self.lib, name)(*arguments):
            raise RuntimeError(self.lib.f0t_last_error().decode())

    def __enter__(self):
        self._call("f0t_catalogue_begin", self.handle)
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self._call("f0t_catalogue_commit", self.handle)

    def put(self, path, features, keywords=(), taken=None, thumbnail=None, bytes_=1, mtime=0):
        """A picture with features, a row of float32: NumPy's, or an array."""
        at = features.buffer_info()[0] if isinstance(features, array.array) else features.ctypes.data
        words = (Keyword * len(keywords))(*[Keyword(w.encode(), 1) for w in keywords])
        picture = Picture(path=path.encode(), bytes=bytes_, mtime=mtime, hash=1 + hash(path) % 2**62,
                          taken=-2**63 if taken is None else taken, width=500, height=375)
        record = Record(size=c.sizeof(Record), picture=picture, keywords=words, keyword_count=len(keywords),
                        thumbnail=thumbnail, thumbnail_size=len(thumbnail or b""),
                        features=at, dim=len(features))
        self._call("f0t_catalogue_put", None, self.handle, c.byref(record))

    def suggest(self, model, vectors):
        """Suggestions of this model for all pictures."""
        options = IndexOptions(size=c.sizeof(IndexOptions), model=str(model).encode(), settle=2)
        self._call("f0t_catalogue_index", None, self.handle, None, 0, c.byref(options), None)
        self._call("f0t_catalogue_set_vectors", self.handle, str(vectors).encode())

    def close(self):
        self.lib.f0t_catalogue_close(self.handle)
