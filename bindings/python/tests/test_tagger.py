"""Tagger: paths, bytes and features, what cannot be read, and how long it holds what it uses."""
import gc
import pathlib
import threading
import unittest

import numpy as np

import fast0tag
import support


class TaggerTest(support.TestCase):
    def make_model(self):
        for m in range(12):
            support.draw(f"album/{m:02}.svg", ["red", "blue", "green"][m % 3],
                         ["car", "sea", "tree"][m % 3])
        fast0tag.import_dataset("photos", "album", "data", backbone="builtin")
        return fast0tag.train("data", vectors="vectors.txt", method="linear", lambda_=1, ridge=0.1)

    def test_paths_bytes_and_features_give_the_same(self):
        model = self.make_model()
        jpeg = support.ROOT / "tests/pictures/quarters.jpg"
        tagger = fast0tag.Tagger(model)
        features = fast0tag.Backbone().features([jpeg])
        by_path = tagger.tag(jpeg, k=3)
        self.assertEqual(len(by_path), 3)
        data = pathlib.Path(jpeg).read_bytes()
        for given in (data, bytearray(data), memoryview(data), features[0]):
            self.assertEqual(tagger.tag(given, k=3), by_path)
        self.assertEqual(model.tag(features, k=3), [by_path])
        for result in tagger.tag_many([data] * 3, k=3):
            self.assertEqual([tag for tag, _ in result.tags], [tag for tag, _ in by_path])
        self.assertEqual([r.tags for r in tagger.tag_many(features.tolist(), k=3)], [by_path])
        self.assertEqual(tagger.tag_many([]), [])

    def test_a_path_of_a_model_and_words(self):
        self.make_model().save("m.f0t")
        support.draw("new.svg", "blue")
        with fast0tag.Tagger("m.f0t") as tagger:
            self.assertEqual(tagger.tag("new.svg", k=1)[0][0], "sea")
            self.assertIn("3 words", repr(tagger))
        self.assertTrue(tagger.closed)
        with self.assertRaises(fast0tag.ArgumentError):
            tagger.tag("new.svg")
        tagger = fast0tag.Tagger("m.f0t", words=["lake", "lorry"], vectors="vectors.txt")
        self.assertEqual(tagger.tag("new.svg", k=1)[0][0], "lake")
        tagger = fast0tag.Tagger("m.f0t", words=["lake"], vectors="vectors.txt", with_seen=True)
        self.assertEqual(len(tagger.tag("new.svg", k=9)), 4)

    def test_bad_pictures_do_not_stop_the_others(self):
        tagger = fast0tag.Tagger(self.make_model())
        pathlib.Path("bad.png").write_text("nothing")
        with self.assertLogs("fast0tag", "WARNING"):
            good, bad, lost = tagger.tag_many(["album/00.svg", "bad.png", "lost.jpg"], k=1)
        self.assertEqual(good.tags[0][0], "car")
        self.assertIsNone(good.error)
        self.assertIsInstance(bad.error, fast0tag.UnsupportedError)
        self.assertIn("bad.png", str(bad.error))
        self.assertIsInstance(lost.error, FileNotFoundError)
        self.assertEqual(lost.tags, [])
        with self.assertRaises(fast0tag.UnsupportedError):
            tagger.tag_many(["album/00.svg", "bad.png"], strict=True)
        with self.assertRaises(fast0tag.Error):
            tagger.tag(b"nothing")
        with self.assertRaises(TypeError):
            tagger.tag_many(["album/00.svg", b"nothing"])
        with self.assertRaises(TypeError):
            tagger.tag_many("album/00.svg")
        with self.assertRaises(fast0tag.NumericError):
            tagger.tag(np.full(tagger.model.feature_dim, np.nan))

    def test_only_what_is_sure(self):
        features = self.data.features
        tagger = fast0tag.Tagger(self.train(method="blend", epochs=2), features_only=True)
        every = tagger.tag_many(features, k=100)
        sure = tagger.tag_many(features, k=100, confidence=0.5)
        for all_tags, some in zip(every, sure):  # a score is the logit of the confidence
            self.assertEqual(some.tags, [(tag, score) for tag, score in all_tags.tags if score >= 0])
        self.assertEqual(tagger.tag(features[0], confidence=1.0), [])
        self.assertLessEqual(sum(len(r.tags) for r in tagger.tag_many(features, k=100, recall=0.5)),
                             sum(len(r.tags) for r in every))
        with self.assertRaisesRegex(fast0tag.UnsupportedError, "cannot be promised from"):
            tagger.tag(features[0], precision=0.999)
        for wrong in (0, -1, 1.5, float("nan")):
            with self.assertRaisesRegex(fast0tag.ArgumentError, "precision is between 0 and 1"):
                tagger.tag(features[0], precision=wrong)
        with self.assertRaises(TypeError):
            tagger.tag(features[0], confidence="high")
        linear = fast0tag.Tagger(self.train(method="linear"), features_only=True)
        with self.assertRaisesRegex(fast0tag.UnsupportedError, "does not say how sure it is"):
            linear.tag(features[0], confidence=0.5)

    def test_a_model_of_bare_features(self):
        model = self.train()
        tagger = fast0tag.Tagger(model)
        want = model.tag(self.data.features, k=2)
        self.assert_same_tags([r.tags for r in tagger.tag_many(self.data.features, k=2)], want)
        with self.assertRaisesRegex(fast0tag.ArgumentError, "features only"):
            tagger.tag("dog.jpg")
        with self.assertRaises(fast0tag.ArgumentError):
            tagger.tag(self.data.features[0, :3])
        with self.assertRaises(fast0tag.MismatchError):
            fast0tag.Tagger(model, backbone="builtin")

    def test_it_holds_its_model_and_words(self):
        model = self.train()
        words = model.vocabulary(["lake", "lorry"], "vectors.txt")
        tagger = fast0tag.Tagger(model, words=words)
        model.close()
        words.close()
        del model, words
        gc.collect()
        self.assertEqual(len(tagger.tag(self.data.features[0], k=2)), 2)

    def test_threads_share_one(self):
        tagger = fast0tag.Tagger(self.train())
        want = tagger.tag_many(self.data.features)
        found = {}

        def work(number):
            with fast0tag.Context(threads=1 + 2 * number):
                found[number] = [tagger.tag_many(self.data.features) for _ in range(5)]
        threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {0: [want] * 5, 1: [want] * 5})


if __name__ == "__main__":
    unittest.main()
