"""How objects are made, shown, copied and pickled."""
import copy
import pathlib
import pickle

import numpy as np

import fast0tag
from support import TestCase, python

CLASSES = (fast0tag.Model, fast0tag.Vectors, fast0tag.Dataset, fast0tag.Backbone)


class Made(TestCase):
    def setUp(self):
        super().setUp()
        self.write_dataset()
        self.train().save("model.f0t")

    def test_a_constructor_opens(self):
        for kind, path, method in ((fast0tag.Model, "model.f0t", "load"),
                                   (fast0tag.Vectors, "vectors.txt", "open"),
                                   (fast0tag.Dataset, "photos", "open"),
                                   (fast0tag.Backbone, "builtin", "open")):
            for given in (path, path.encode(), pathlib.Path(path)):
                with self.subTest(given), kind(given) as made, \
                        getattr(kind, method)(given) as other:
                    self.assertIs(type(made), kind)
                    self.assertEqual(repr(made), repr(other))

    def test_what_is_not_there_is_said_at_once(self):
        for kind in CLASSES[:3]:
            with self.subTest(kind), self.assertRaises(FileNotFoundError):
                kind("nowhere")

    def test_what_is_no_path_is_said_with_what_to_do(self):
        for kind, hint in ((fast0tag.Model, r"fast0tag\.train\(\)"),
                           (fast0tag.Vectors, r"Vectors\.from_dict"),
                           (fast0tag.Dataset, r"Dataset\.from_arrays")):
            for wrong in (None, 3, {"cat": [1, 2]}, self.data.features):
                with self.subTest(kind), self.assertRaisesRegex(TypeError, hint):
                    kind(wrong)
            with self.assertRaises(TypeError):
                kind()
        with self.assertRaisesRegex(TypeError, "vectors must be Vectors, a path, or a dict"):
            fast0tag.train(self.data.features, self.data.tags, vectors=self.data.matrix)

    def test_none_is_half_made(self):
        for kind in (*CLASSES, fast0tag.Vocab):
            class Careless(kind):
                def __init__(self):
                    pass
            made = Careless()
            self.assertTrue(made.closed)
            self.assertEqual(repr(made), "Careless(closed)")
            with self.assertRaisesRegex(ValueError, "closed"):
                made.dim
            made.close()

    def test_what_they_are_is_shown(self):
        model = fast0tag.Model("model.f0t")
        self.assertEqual(repr(model), "Model(linear, 8 features, 6 tags)")
        self.assertEqual(repr(fast0tag.Vectors("vectors.txt")),
                         "Vectors('vectors.txt', 10 words, 6 dimensions)")
        self.assertEqual(repr(fast0tag.Dataset("photos")),
                         "Dataset('photos', 60 images, 8 features, 6 tags)")
        self.assertRegex(repr(fast0tag.Backbone()), r"Backbone\('builtin-\d', \d+ features\)")
        self.assertEqual(repr(fast0tag.Vocab(["sea", "sky"], "vectors.txt")),
                         "Vocab(['sea', 'sky'], 2 tags)")
        self.assertRegex(repr(model.vocab), r"Vocab\(\['\w+', '\w+', '\w+', …\], 6 tags\)")
        model.close()
        self.assertEqual(repr(model), "Model(closed)")

    def test_images_of_a_dataset(self):
        dataset = fast0tag.Dataset("photos")
        image = dataset[3]
        self.assertEqual((image.image, sorted(image.tags), image.split),
                         (None, sorted(self.data.tags[3]), "val"))
        np.testing.assert_array_equal(image.features, self.data.features[3])
        np.testing.assert_array_equal(dataset[-1].features, self.data.features[59])
        self.assertEqual(len(list(dataset)), 60)
        for index in (60, -61):
            with self.assertRaises(IndexError):
                dataset[index]
        bare = fast0tag.Dataset.from_arrays(None, [["cat"], []], images=["a", "b"])
        self.assertEqual((bare[0].image, bare[0].tags, bare[0].features.shape), ("a", ["cat"], (0,)))


class Copies(TestCase):
    def test_a_copy_lives_on_its_own(self):
        self.write_dataset()
        for made in (self.train(), fast0tag.Vectors("vectors.txt"), fast0tag.Dataset("photos"),
                     fast0tag.Backbone(), fast0tag.Vocab(["sea"], "vectors.txt")):
            shown = repr(made)
            for copied in (copy.copy(made), copy.deepcopy(made)):
                self.assertEqual(repr(copied), shown)
                copied.close()
                self.assertTrue(copied.closed)
                self.assertEqual(repr(made), shown)
            left = copy.copy(copy.deepcopy(made))
            made.close()
            self.assertEqual(repr(left), shown)
            self.assertGreater(left.dim, 0)
            with self.assertRaises(ValueError):
                copy.copy(made)

    def test_a_copied_vocabulary_outlives_its_model(self):
        model = self.train()
        words = copy.copy(model.vocab)
        model.close()
        self.assertIn("cat", words)

    def test_a_model_is_pickled_as_its_file(self):
        for method in ("linear", "net", "linear-rank"):
            more = {} if method == "linear" else {"epochs": 2}
            model = self.train(method=method, **more)
            again = pickle.loads(pickle.dumps(model))
            self.assertEqual(again.tag(self.data.features), model.tag(self.data.features))
            self.assertEqual(again.training, model.training)
            self.assertEqual(again.to_bytes(), model.to_bytes())
            self.assertEqual(list(pickle.loads(pickle.dumps(model.vocab))), list(model.vocab))
        model.save("model.f0t")
        with open("model.f0t", "rb") as file:
            data = file.read()
        self.assertEqual(model.to_bytes(), data)
        self.assertEqual(repr(fast0tag.Model.from_bytes(memoryview(data))), repr(model))
        for wrong in (b"", data[:-1], data[:100], b"x" * 300):
            with self.assertRaisesRegex(fast0tag.FormatError, "a model's bytes"):
                fast0tag.Model.from_bytes(wrong)
        with self.assertRaises(TypeError):
            fast0tag.Model.from_bytes("model.f0t")

    def test_a_pickled_model_tags_in_another_process(self):
        model = self.train()
        with open("model.pickle", "wb") as file:
            pickle.dump((model, self.data.features), file)
        done = python("import pickle; m, x = pickle.load(open('model.pickle', 'rb')); "
                      "print(m.predict(x, 2))")
        self.assertEqual(done.stdout.strip(), str(model.predict(self.data.features, 2)),
                         done.stderr)

    def test_vectors_are_pickled_as_path_or_numbers(self):
        read = fast0tag.Vectors("vectors.txt")
        again = pickle.loads(pickle.dumps(read))
        self.assertEqual((again.fingerprint, again.source), (read.fingerprint, read.source))
        data = pickle.dumps(read)
        self.data.matrix, before = self.data.matrix + 1, self.data.matrix
        self.data.write_vectors("vectors.txt")
        self.data.matrix = before
        with self.assertRaisesRegex(fast0tag.MismatchError, "vectors.txt: has other vectors"):
            pickle.loads(data)
        made = fast0tag.Vectors.from_arrays(self.data.words, self.data.matrix, name="mine")
        again = pickle.loads(pickle.dumps(made))
        self.assertEqual((again.fingerprint, again.source, list(again)),
                         (made.fingerprint, "mine", self.data.words))
        np.testing.assert_array_equal(again.rows(0, 10), made.rows(0, 10))

    def test_what_cannot_be_pickled_says_what_to_do(self):
        self.write_dataset()
        for made, text in ((fast0tag.Dataset("photos"), "open it again"),
                           (fast0tag.Backbone(), "open it again"),
                           (fast0tag.Vocab(["sea"], "vectors.txt"), "make it again")):
            with self.subTest(made), self.assertRaisesRegex(TypeError, text):
                pickle.dumps(made)

    def test_errors_are_pickled(self):
        for kind in (fast0tag.ArgumentError, fast0tag.NotFoundError, fast0tag.OutOfMemoryError):
            error = pickle.loads(pickle.dumps(kind("what and where")))
            self.assertEqual((type(error), str(error)), (kind, "what and where"))


class Import(TestCase):
    def test_importing_changes_no_environment_and_starts_no_thread(self):
        done = python("""
import ctypes, os, numpy
def threads(): return len(os.listdir("/proc/self/task"))
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
names = (b"GOMP_SPINCOUNT", b"OMP_WAIT_POLICY", b"OMP_NUM_THREADS", b"OMP_PROC_BIND")
def seen(): return dict(os.environ), [libc.getenv(name) for name in names]
before, started = seen(), threads()
import fast0tag
assert seen() == before, seen()
assert threads() == started, (threads(), started)
""")
        self.assertEqual(done.returncode, 0, done.stderr)
