"""Models, vocabularies and vectors."""
import gc
import threading
import time

import numpy as np

import fast0tag
from fast0tag._handle import Resource
from support import TestCase


class Models(TestCase):
    def test_a_model_says_what_it_is(self):
        model = self.train()
        self.assertEqual((model.method, model.feature_dim, model.dim), ("linear", 8, 6))
        self.assertEqual(sorted(model.vocab), ["car", "cat", "dog", "sea", "sky", "tree"])
        self.assertEqual(model.training["method"], "linear")
        self.assertIsNone(model.backbone)
        self.assertFalse(model.closed)

    def test_saved_and_loaded_it_is_the_same(self):
        model = self.train()
        model.save("model.f0t")
        with fast0tag.Model.load("model.f0t") as again:
            self.assertEqual(again.tag(self.data.features), model.tag(self.data.features))
        with open("model.f0t", "rb") as file:
            first = file.read()
        fast0tag.Model.load("model.f0t").save("again.f0t")
        with open("again.f0t", "rb") as file:
            self.assertEqual(file.read(), first)

    def test_any_words_are_ranked(self):
        model = self.train()
        tagged = model.tag(self.data.features, k=2, words=["lake", "lorry"], vectors="vectors.txt")
        for tags, ranked in zip(self.data.tags, tagged):
            if ("sea" in tags) != ("car" in tags):
                self.assertEqual(ranked[0][0], "lake" if "sea" in tags else "lorry")
        both = model.tag(self.data.features, k=8, words=["lake", "lorry"], vectors="vectors.txt",
                         with_seen=True)
        self.assertEqual({tag for tag, _ in both[0]}, {*model.vocab, "lake", "lorry"})

    def test_a_vocabulary_is_made_once_and_used_often(self):
        model = self.train()
        with fast0tag.Vectors.open("vectors.txt") as vectors:
            words = model.vocabulary(["lakes", "Lorry"], vectors)
        self.assertEqual(list(words), ["lakes", "Lorry"])
        index, score, vocab = model.rank(self.data.features, 1, words=words)
        self.assertEqual((index.shape, index.dtype, score.dtype), ((60, 1), np.uint32, np.float32))
        self.assertIs(vocab, words)
        directions = model.directions(self.data.features)
        np.testing.assert_array_equal(words.rank(directions, 1)[0], index)
        np.testing.assert_allclose((directions @ words.vectors.T).max(axis=1), score[:, 0],
                                   rtol=1e-5)

    def test_scores_of_every_tag(self):
        model = self.train()
        scores = model.scores(self.data.features)
        self.assertEqual((scores.shape, scores.dtype), ((60, 6), np.float32))
        index, score, vocab = model.rank(self.data.features, 6)
        np.testing.assert_array_equal(np.take_along_axis(scores, index.astype(int), 1), score)
        np.testing.assert_allclose(scores, model.directions(self.data.features) @ vocab.vectors.T,
                                   rtol=1e-4, atol=1e-6)
        words = model.vocabulary(["lake", "lorry"], "vectors.txt")
        np.testing.assert_array_equal(
            model.scores(self.data.features, words),
            model.scores(self.data.features, ["lake", "lorry"], vectors="vectors.txt"))
        both = model.scores(self.data.features, words, with_seen=True)
        np.testing.assert_allclose(both[:, :6], scores, rtol=1e-5, atol=1e-6)
        self.assertEqual(model.scores(np.empty((0, 8))).shape, (0, 6))
        wrong = self.data.features.copy()
        wrong[9, 1] = np.nan
        with self.assertRaisesRegex(fast0tag.NumericError, "row 9 "):
            model.scores(wrong)

    def test_predicted_tags_are_those_of_tag(self):
        model = self.train()
        tagged = model.tag(self.data.features, 3)
        self.assertEqual(model.predict(self.data.features, 3),
                         [[tag for tag, _ in row] for row in tagged])
        self.assertEqual(model.predict(self.data.features[:1], 1, words=["lorry"],
                                       vectors="vectors.txt"), [["lorry"]])

    def test_words_and_vectors_go_together(self):
        model = self.train()
        for arguments in ({"words": ["lake"]}, {"vectors": "vectors.txt"}, {"with_seen": True},
                          {"words": model.vocab, "vectors": "vectors.txt"}):
            with self.subTest(arguments), self.assertRaises(fast0tag.ArgumentError):
                model.tag(self.data.features, **arguments)
        with self.assertRaisesRegex(fast0tag.FormatError, "none of the words has a vector"), \
                self.assertLogs("fast0tag", "WARNING") as logged:
            model.tag(self.data.features, words=["laek"], vectors="vectors.txt")
        self.assertIn("'laek' has no vector; did you mean 'lake'?", logged.output[0])

    def test_words_of_another_space_are_refused(self):
        model = self.train()
        other = fast0tag.Vectors.from_arrays(self.data.words, self.data.matrix[::-1])
        with self.assertRaises(fast0tag.MismatchError):
            model.tag(self.data.features, words=["lake"], vectors=other)
        uncentred = fast0tag.Vocab(["lake"], "vectors.txt")
        with self.assertRaises(fast0tag.MismatchError):
            model.tag(self.data.features, words=uncentred)

    def test_the_net_learns_and_tells_of_its_epochs(self):
        epochs, seen = [], []
        model = self.train(method="net", epochs=12, patience=12, hidden=[16], epoch=epochs.append,
                           progress=seen.append)
        self.assertEqual([e.number for e in epochs], list(range(1, len(epochs) + 1)))
        self.assertLess(epochs[-1].loss, epochs[0].loss)
        self.assertTrue(any(e.best for e in epochs))
        self.assertEqual(model.method, "net")
        self.assertTrue(all(isinstance(p, fast0tag.Progress) for p in seen))

    def test_options_that_make_no_sense_are_refused(self):
        for options, text in (({"method": "magic"}, "'magic' is none of net, linear, linear-rank"),
                              ({"loss": "x"}, "loss 'x' is none of ranknet"),
                              ({"hidden": [0]}, "units of a hidden layer"),
                              ({"hidden": [4] * 9}, "9 hidden layers"),
                              ({"method": "net", "dropout": 2.0}, "dropout"),
                              ({"split": ["train"]}, "parts of 1 images"),
                              ({"split": ["sun"] * 60}, "part 'sun' is none of train")):
            with self.subTest(options), self.assertRaisesRegex(fast0tag.ArgumentError, text):
                self.train(**options)

    def test_a_checkpoint_is_resumed_to_the_same_model(self):
        whole = self.train(method="net", epochs=6, patience=6, hidden=[8])

        def interrupt(epoch):
            if epoch.number == 3:
                raise RuntimeError("enough")
        with self.assertRaisesRegex(RuntimeError, "enough"):
            self.train(method="net", epochs=6, patience=6, hidden=[8], checkpoint="c",
                       epoch=interrupt)
        resumed = self.train(method="net", epochs=6, patience=6, hidden=[8], checkpoint="c",
                             resume=True)
        self.assertEqual(resumed.tag(self.data.features), whole.tag(self.data.features))

    def test_tuning_gives_a_model(self):
        model = self.train(tune=0.2)
        self.assertEqual(len(model.tag(self.data.features)), 60)

    def test_tag_vectors_are_centred_unless_told(self):
        self.assertTrue(self.train().vocab.centred)
        model = self.train(centred=False)
        self.assertFalse(model.vocab.centred)
        self.write_dataset()
        self.program("train", "photos", "--vectors", "vectors.txt", "--method", "linear",
                     "--keep-mean", "-o", "b.f0t")
        self.assertFalse(fast0tag.Model("b.f0t").vocab.centred)


class Lifetime(TestCase):
    def test_a_closed_model_says_so(self):
        model = self.train()
        vocab = model.vocab
        model.close()
        model.close()
        self.assertTrue(model.closed and vocab.closed)
        for use in (lambda: model.tag(self.data.features), lambda: model.vocab,
                    lambda: model.save("x"), lambda: vocab.vectors, lambda: vocab.find("cat")):
            with self.assertRaisesRegex(ValueError, "the model is closed"):
                use()

    def test_closing_what_is_borrowed_changes_nothing(self):
        model = self.train()
        model.vocab.close()
        self.assertEqual(len(list(model.vocab)), 6)

    def test_an_array_outlives_its_model(self):
        model = self.train()
        rows = model.vocab.vectors
        want = rows.copy()
        part = rows[2:4]
        model.close()
        del model, rows
        gc.collect()
        np.testing.assert_array_equal(part, want[2:4])
        with self.assertRaises(ValueError):
            part[0, 0] = 1

    def test_a_vocabulary_keeps_its_model_alive(self):
        vocab = self.train().vocab
        gc.collect()
        self.assertIn("cat", vocab)

    def test_a_dataset_keeps_its_features_alive(self):
        dataset = fast0tag.Dataset.from_arrays(self.data.features.copy(), self.data.tags)
        gc.collect()
        np.testing.assert_array_equal(dataset.features(), self.data.features)

    def test_what_is_held_is_freed_once_and_last(self):
        freed = []
        resource = Resource("pointer", freed.append, "thing")
        resource.hold()
        resource.hold()
        resource.close()
        resource.release()
        self.assertEqual(freed, [])
        with self.assertRaisesRegex(ValueError, "the thing is closed"):
            resource.hold()
        resource.release()
        resource.close()
        self.assertEqual(freed, ["pointer"])

    def test_nothing_is_left_behind(self):
        self.train().save("model.f0t")

        def use():
            for _ in range(10):
                model = fast0tag.Model.load("model.f0t")
                model.tag(self.data.features, words=["lake"], vectors="vectors.txt")
                with fast0tag.Vectors.open("vectors.txt") as vectors:
                    vectors.nearest("sea")
                self.assertEqual(model.vocab.vectors.shape, (6, 6))
            gc.collect()
            return len(gc.get_objects())
        use()
        first = use()
        self.assertLess(use() - first, 20)


class Threads(TestCase):
    def run_all(self, work, count=6):
        failures = []

        def guarded():
            try:
                work()
            except BaseException as error:  # noqa: B902: reported by the main thread
                failures.append(error)
        threads = [threading.Thread(target=guarded) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return failures

    def test_many_share_a_model(self):
        model = self.train()
        want = model.tag(self.data.features)
        words = model.tag(self.data.features, words=["lake", "lorry"], vectors="vectors.txt")

        def work():
            for _ in range(20):
                assert model.tag(self.data.features) == want
                assert model.tag(self.data.features, words=["lake", "lorry"],
                                 vectors="vectors.txt") == words
        self.assertEqual(self.run_all(work), [])

    def test_closing_while_others_tag_is_safe(self):
        for _ in range(5):
            model = self.train()
            want = model.tag(self.data.features)
            started = threading.Barrier(5)

            def work():
                started.wait()
                for _ in range(200):
                    assert model.tag(self.data.features) == want

            def close():
                started.wait()
                time.sleep(0.01)
                model.close()
            closer = threading.Thread(target=close)
            closer.start()
            failures = self.run_all(work, 4)
            closer.join()
            for failure in failures:
                self.assertIsInstance(failure, ValueError)
                self.assertIn("closed", str(failure))

    def test_each_thread_has_its_own_error(self):
        def work(name):
            def fail():
                for _ in range(100):
                    try:
                        fast0tag.Model.load(name)
                    except fast0tag.NotFoundError as error:
                        assert name in str(error), error
            return fail
        a, b = work("first.f0t"), work("second.f0t")
        other = threading.Thread(target=a)
        other.start()
        self.assertEqual(self.run_all(b, 2), [])
        other.join()

    def test_other_threads_run_while_the_library_works(self):
        ticks, done = 0, threading.Event()

        def work():
            self.train(method="net", hidden=[64], epochs=60, patience=60)
            done.set()
        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)
        thread.join()
        self.assertGreater(ticks, 20)
