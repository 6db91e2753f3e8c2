"""The classifier in scikit-learn's habit, with scikit-learn where it is installed."""
import copy
import pickle
import unittest.mock

import numpy as np

import fast0tag
from support import TestCase

try:
    import sklearn
    import sklearn.base
    import sklearn.metrics
    import sklearn.model_selection
    import sklearn.pipeline
    import sklearn.preprocessing
except ImportError:
    sklearn = None


class Case(TestCase):
    def setUp(self):
        super().setUp()
        self.names = ["tree", "cat", "dog", "sea", "sky", "car"]
        self.X = self.data.features
        self.Y = np.array([[name in tags for name in self.names]
                           for tags in self.data.tags]).astype(int)

    def make(self, **params):
        return fast0tag.TagClassifier(**{"vectors": "vectors.txt", "tag_names": self.names, "k": 2,
                                         "method": "linear", **params})


class Estimator(Case):
    def test_it_fits_and_predicts_columns(self):
        tagger = self.make()
        self.assertIs(tagger.fit(self.X, self.Y), tagger)
        self.assertEqual(tagger.classes_.tolist(), self.names)
        self.assertEqual(tagger.n_features_in_, 8)
        self.assertEqual(repr(tagger.model_), "Model(linear, 8 features, 6 tags)")
        predicted = tagger.predict(self.X)
        self.assertEqual((predicted.shape, set(predicted.ravel().tolist())), ((60, 6), {0, 1}))
        self.assertEqual(predicted.sum(axis=1).tolist(), [2] * 60)
        self.assertGreater((predicted == self.Y).mean(), 0.9)
        scores = tagger.predict_scores(self.X)
        self.assertEqual((scores.shape, scores.dtype), ((60, 6), np.float32))
        np.testing.assert_array_equal(scores, tagger.decision_function(self.X))
        np.testing.assert_array_equal(scores, tagger.model_.scores(self.X))
        tags = tagger.predict_tags(self.X)
        self.assertEqual([sorted(row) for row in tags],
                         [sorted(np.array(self.names)[row == 1]) for row in predicted])
        self.assertEqual(tagger.predict_tags(self.X[:1], 1, words=["lake"]), [["lake"]])
        self.assertGreater(tagger.score(self.X, self.Y), 0.9)
        self.assertEqual(tagger.score(self.X, self.Y), tagger.score(self.X, self.data.tags))

    def test_lists_of_tags(self):
        tagger = fast0tag.TagClassifier("vectors.txt", method="linear").fit(self.X, self.data.tags)
        self.assertEqual(tagger.classes_.tolist(), sorted(self.names))
        truth = np.array([[name in tags for name in tagger.classes_] for tags in self.data.tags])
        self.assertGreater(tagger.score(self.X, self.data.tags), 0.9)
        self.assertEqual(tagger.score(self.X, truth), tagger.score(self.X, self.data.tags))

    def test_score_is_the_mean_image_average_precision(self):
        from fast0tag._estimator import _miap
        scores = np.array([[3, 2, 1], [1, 2, 3], [1, 1, 1], [5, 4, 3]], np.float32)
        truth = np.array([[1, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 0]], bool)
        self.assertAlmostEqual(_miap(scores, truth), ((1 + 2 / 3) / 2 + 1 / 3 + 1 / 2) / 3)
        with self.assertRaisesRegex(fast0tag.ArgumentError, "no image has a tag"):
            _miap(scores, truth & False)

    def test_vectors_of_every_form(self):
        want = self.make().fit(self.X, self.Y).predict_scores(self.X)
        words = dict(zip(self.data.words, self.data.matrix))
        for vectors in (fast0tag.Vectors("vectors.txt"), words,
                        {word: row.tolist() for word, row in words.items()}):
            got = self.make(vectors=vectors).fit(self.X, self.Y)
            np.testing.assert_array_equal(got.predict_scores(self.X), want)
        rows = np.stack([words[name] for name in self.names])
        names = ["palm tree"] + self.names[1:]
        tagger = self.make(vectors=rows, tag_names=names).fit(self.X, self.Y)
        self.assertEqual(list(tagger.model_.vocab), names)
        self.assertGreater(tagger.score(self.X, self.Y), 0.9)
        with self.assertRaisesRegex(TypeError, "needs tag_names"):
            self.make(vectors=rows, tag_names=None).fit(self.X, self.data.tags)

    def test_a_tag_without_a_vector_comes_last_in_its_column(self):
        names = ["tree", "unicorn", "dog", "sea", "sky", "car"]
        tagger = self.make(tag_names=names, k=6)
        with self.assertLogs("fast0tag", "WARNING") as logged:
            tagger.fit(self.X, self.Y)
        self.assertIn("unicorn", " ".join(logged.output))
        self.assertEqual(tagger.classes_.tolist(), names)
        scores = tagger.predict_scores(self.X)
        self.assertTrue(np.isfinite(scores).all())
        self.assertTrue((scores.argmin(axis=1) == 1).all())
        predicted = tagger.predict(self.X)
        self.assertEqual((predicted[:, 1].sum(), predicted.sum()), (0, 5 * 60))
        self.assertLess(tagger.score(self.X, self.Y), 1)

    def test_wrong_use_is_said(self):
        tagger = self.make()
        for use in (tagger.predict, tagger.predict_scores, tagger.predict_tags,
                    tagger.decision_function, lambda x: tagger.score(x, self.Y)):
            with self.assertRaisesRegex(ValueError, "not fitted: call fit"):
                use(self.X)
        for params, kind, text in (({"method": "magic"}, ValueError, "is none of net"),
                                   ({"ridge": -1}, ValueError, "ridge"), ({"k": 0}, ValueError, "k"),
                                   ({"epochs": 3}, ValueError, "does not use 'epochs'"),
                                   ({"tag_names": None}, TypeError, "needs tag_names"),
                                   ({"vectors": None}, TypeError, "vectors must be")):
            with self.subTest(params), self.assertRaisesRegex(kind, text):
                self.make(**params).fit(self.X, self.Y)
        with self.assertRaisesRegex(ValueError, "parameter 'colour' is none of vectors"):
            tagger.set_params(colour="red")
        tagger.fit(self.X, self.Y)
        with self.assertRaisesRegex(ValueError, "7 numbers"):
            tagger.predict(self.X[:, :7])
        with self.assertRaisesRegex(ValueError, "features of 59 images, tags of 60"):
            tagger.score(self.X[1:], self.Y)

    def test_parameters(self):
        tagger = self.make()
        params = tagger.get_params()
        self.assertEqual((params["method"], params["k"], params["rate"]), ("linear", 2, None))
        again = fast0tag.TagClassifier(**params)
        for name, value in again.get_params().items():
            self.assertIs(value, params[name])
        self.assertIs(tagger.set_params(method="net", epochs=2), tagger)
        self.assertEqual(tagger.fit(self.X, self.Y).model_.method, "net")
        self.assertEqual(repr(fast0tag.TagClassifier("v.txt", k=5, seed=1, method="blend")),
                         "TagClassifier(vectors='v.txt', seed=1)")
        from inspect import signature
        trained = set(signature(fast0tag.train).parameters)
        self.assertEqual(trained - set(params), {
            "data", "tags", "split", "backbone", "all_tags", "classes", "test", "checkpoint", "resume",
            "epoch", "progress", "keep_tags", "keep_spellings", "plurals", "file_words",
            "keep_common", "least", "synonyms"})
        self.assertEqual(set(params) - trained, {"k"})

    def test_what_it_tells_newer_versions_of_scikit_learn(self):
        from types import SimpleNamespace
        utils = SimpleNamespace(  # as sklearn.utils has them from 1.6 on
            Tags=lambda estimator_type, target_tags, classifier_tags=None: SimpleNamespace(
                **locals()),
            TargetTags=lambda required, multi_output=False: SimpleNamespace(**locals()),
            ClassifierTags=lambda multi_label=False: SimpleNamespace(**locals()))
        if sklearn is not None and hasattr(sklearn.utils, "Tags"):
            utils = sklearn.utils
        with unittest.mock.patch.dict("sys.modules", {"sklearn": SimpleNamespace(utils=utils),
                                                      "sklearn.utils": utils}):
            tags = self.make().__sklearn_tags__()
        self.assertEqual(tags.estimator_type, "classifier")
        self.assertTrue(tags.target_tags.required and tags.target_tags.multi_output)
        self.assertTrue(tags.classifier_tags.multi_label)

    def test_fitted_it_is_pickled_and_copied(self):
        for vectors in ("vectors.txt", fast0tag.Vectors("vectors.txt"),
                        dict(zip(self.data.words, self.data.matrix))):
            tagger = self.make(vectors=vectors).fit(self.X, self.Y)
            for again in (pickle.loads(pickle.dumps(tagger)), copy.deepcopy(tagger)):
                np.testing.assert_array_equal(again.predict_scores(self.X),
                                              tagger.predict_scores(self.X))
                self.assertEqual(again.predict_tags(self.X[:1], words=["lake"]), [["lake"]])


class Sklearn(Case):
    def setUp(self):
        if sklearn is None:
            self.skipTest("there is no scikit-learn")
        super().setUp()

    def test_a_clone_is_fitted_anew(self):
        for vectors in ("vectors.txt", fast0tag.Vectors("vectors.txt")):
            tagger = self.make(vectors=vectors).fit(self.X, self.Y)
            clone = sklearn.base.clone(tagger)
            self.assertFalse(hasattr(clone, "model_"))
            np.testing.assert_array_equal(clone.fit(self.X, self.Y).predict(self.X),
                                          tagger.predict(self.X))

    def test_its_score_is_that_of_scikit_learn(self):
        tagger = self.make().fit(self.X, self.Y)
        want = sklearn.metrics.label_ranking_average_precision_score(
            self.Y, tagger.predict_scores(self.X))
        self.assertAlmostEqual(tagger.score(self.X, self.Y), want)
        self.assertGreater(sklearn.metrics.f1_score(self.Y, tagger.predict(self.X),
                                                    average="micro"), 0.8)

    def test_pipelines_and_searches(self):
        pipe = sklearn.pipeline.make_pipeline(sklearn.preprocessing.StandardScaler(), self.make())
        scores = sklearn.model_selection.cross_val_score(pipe, self.X, self.Y, cv=3,
                                                         error_score="raise")
        self.assertGreater(scores.mean(), 0.7)
        search = sklearn.model_selection.GridSearchCV(
            self.make(), {"ridge": [0.01, 1.0], "k": [1, 2]}, cv=2, error_score="raise")
        search.fit(self.X, self.Y)
        self.assertIn(search.best_params_["ridge"], (0.01, 1.0))
        self.assertEqual(search.predict(self.X).shape, (60, 6))
