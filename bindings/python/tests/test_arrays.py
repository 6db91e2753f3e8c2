"""Features in every form that NumPy has, right and wrong."""
import numpy as np

import fast0tag
from support import TestCase


class Arrays(TestCase):
    def setUp(self):
        super().setUp()
        self.model = self.train()
        self.want = self.model.tag(self.data.features)

    def assert_same(self, features):
        got = self.model.tag(features)
        self.assertEqual(got, self.want)

    def test_tags_and_scores_are_lists_of_pairs(self):
        self.assertEqual(len(self.want), 60)
        self.assertEqual(len(self.want[0]), 5)
        tag, score = self.want[0][0]
        self.assertIs(type(tag), str)
        self.assertIs(type(score), float)
        self.assertGreaterEqual(score, self.want[0][1][1])
        self.assertIn(self.want[0][0][0], self.data.tags[0])

    def test_arrays_that_do_not_lie_in_row_order(self):
        features = self.data.features
        self.assert_same(np.asfortranarray(features))
        wide = np.zeros((120, 20), np.float32)
        wide[::2, 4:20:2] = features
        self.assert_same(wide[::2, 4:20:2])
        self.assert_same(np.ascontiguousarray(features[::-1])[::-1])
        self.assert_same(features.tolist())

    def test_other_types_of_numbers(self):
        features = self.data.features
        self.assert_same(features.astype(np.float64))
        self.assert_same(features.astype(">f4"))
        half = features.astype(np.float16)
        self.assertEqual(self.model.tag(half), self.model.tag(half.astype(np.float32)))
        whole = np.rint(features).astype(np.int64)
        self.assertEqual(self.model.tag(whole), self.model.tag(whole.astype(np.float32)))
        self.assertEqual(self.model.tag(whole > 0), self.model.tag((whole > 0).astype(np.float32)))

    def test_an_array_of_float32_is_not_copied(self):
        from fast0tag import _convert
        self.assertIs(_convert.as_floats(self.data.features), self.data.features)

    def test_a_matrix_on_disk(self):
        np.save("features.npy", self.data.features)
        self.assert_same(np.load("features.npy", mmap_mode="r"))

    def test_many_rows_go_in_blocks(self):
        many = np.tile(self.data.features, (150, 1))
        self.assertEqual(self.model.tag(many), self.want * 150)
        np.testing.assert_array_equal(self.model.directions(many)[8940:],
                                      self.model.directions(many[8940:]))

    def test_no_rows_and_more_tags_than_there_are(self):
        self.assertEqual(self.model.tag(np.empty((0, 8), np.float32)), [])
        self.assertEqual(len(self.model.tag(self.data.features[:1], k=100)[0]), 6)

    def test_wrong_shapes_are_named(self):
        for shape, text in (((8,), "2 dimensions, images x numbers, not 1; for a single one, x[None]"),
                            ((2, 2, 2), "not 3"), ((), "not 0"),
                            ((5, 7), "have 7 numbers an image; 8 are wanted")):
            with self.subTest(shape), self.assertRaises(fast0tag.ArgumentError) as caught:
                self.model.tag(np.zeros(shape, np.float32))
            self.assertIn(text, str(caught.exception))

    def test_wrong_types_are_named(self):
        for array in (np.zeros((2, 8), complex), np.full((2, 8), "1"), np.full((2, 8), None)):
            with self.subTest(array.dtype), self.assertRaisesRegex(fast0tag.ArgumentError,
                                                                   "real numbers are wanted"):
                self.model.tag(array)

    def test_nan_and_infinity_are_refused_with_their_row(self):
        for wrong in (np.nan, np.inf, 1e300):
            features = self.data.features.astype(np.float64)
            features[7, 2] = wrong
            with self.subTest(wrong), self.assertRaisesRegex(fast0tag.NumericError, "row 7 "):
                self.model.tag(features)
        many = np.tile(self.data.features, (150, 1))
        many[8200, 0] = np.nan
        with self.assertRaisesRegex(fast0tag.NumericError, "row 8200 "):
            self.model.directions(many)

    def test_a_wrong_k(self):
        for k in (0, -1, 2.5):
            with self.subTest(k), self.assertRaises(fast0tag.ArgumentError):
                self.model.tag(self.data.features, k=k)

    def test_training_takes_the_same_forms(self):
        want = self.model.tag(self.data.features)
        for features in (self.data.features.astype(np.float64),
                         np.asfortranarray(self.data.features), self.data.features.tolist(),
                         self.data.features.astype(">f8")):
            model = fast0tag.train(features, self.data.tags, vectors="vectors.txt",
                                   method="linear")
            self.assertEqual(model.tag(self.data.features), want)
        half = self.data.features.astype(np.float16)
        a = fast0tag.train(half, self.data.tags, vectors="vectors.txt", method="linear")
        b = fast0tag.train(half.astype(np.float32), self.data.tags, vectors="vectors.txt",
                           method="linear")
        self.assertEqual(a.tag(half), b.tag(half))

    def test_training_refuses_nan_and_wrong_lengths(self):
        features = self.data.features.copy()
        features[3, 1] = np.nan
        with self.assertRaisesRegex(fast0tag.NumericError, r"row 3, column 1"):
            fast0tag.train(features, self.data.tags, vectors="vectors.txt")
        with self.assertRaisesRegex(fast0tag.ArgumentError, "features of 59 images, tags of 60"):
            fast0tag.train(features[1:], self.data.tags, vectors="vectors.txt")
        with self.assertRaisesRegex(TypeError, "features need tags"):
            fast0tag.train(features, vectors="vectors.txt")
