"""The package says what the program says, over datasets, matrices and pictures."""
import os
import threading

import numpy as np

import fast0tag
from support import TestCase, draw


def plain(rows):
    """Rows of a comparison without what the clock says, in the nine digits that the program writes."""
    if isinstance(rows, list):
        return [plain(row) for row in rows]
    if isinstance(rows, dict):
        return {key: plain(value) for key, value in rows.items()
                if not key.endswith("_s") and not key.endswith("_s_sd")}
    return float(f"{rows:.9g}") if isinstance(rows, float) else rows


class Program(TestCase):
    def shown(self, listed):
        return [fast0tag.TaggedImage(row["image"], [(tag["tag"], tag["score"])
                                                    for tag in row["tags"]]) for row in listed]

    def assert_tagged(self, got, listed):
        want = self.shown(listed)
        self.assertEqual([row.image for row in got], [row.image for row in want])
        self.assert_same_tags([row.tags for row in got], [row.tags for row in want])

    def test_a_training_gives_the_same_bytes(self):
        self.write_dataset()
        for options, more in ((["--method", "linear"], {"method": "linear"}),
                              (["--method", "net", "--epochs", "4", "--hidden", "16,8"],
                               {"method": "net", "epochs": 4, "hidden": [16, 8]}),
                              (["--epochs", "2", "--without", "ridge,prior"],
                               {"epochs": 2, "without": ["ridge", "prior"]})):
            self.program("train", "photos", "--vectors", "vectors.txt", "-o", "theirs.f0t", *options)
            fast0tag.train("photos", vectors="vectors.txt", **more).save("ours.f0t")
            from_memory = fast0tag.Dataset.from_arrays(self.data.features, self.data.tags,
                                                       split=self.data.split)
            fast0tag.train(from_memory, vectors="vectors.txt", **more).save("memory.f0t")
            theirs = open("theirs.f0t", "rb").read()
            self.assertEqual(open("ours.f0t", "rb").read(), theirs)
            self.assertEqual(open("memory.f0t", "rb").read(), theirs)

    def test_raw_keywords_are_cleaned_as_the_program_does(self):
        tags = [[*row, f"IMG_{1000 + m}", "mine", *["2014"] * (m < 12), *["Sea", "seas"] * (m < 3)]
                for m, row in enumerate(self.data.tags)]
        fast0tag.write_dataset("photos", self.data.features, tags)
        seen = set()
        for options, more in (
                ([], {}), (["--keep-tags"], {"keep_tags": True}),
                (["--method", "linear"], {"method": "linear"}),
                (["--test", "0.25", "--seed", "3"], {"test": 0.25, "seed": 3}),
                (["--plurals", "none", "--keep-spellings", "--keep-common", "--least", "2"],
                 {"plurals": "none", "keep_spellings": True, "keep_common": True, "least": 2}),
                (["--file-words", "none"], {"file_words": "none"}),
                (["--file-words", "all", "--plurals", "all"],
                 {"file_words": "all", "plurals": "all"})):
            if "method" not in more:
                options, more = [*options, "--epochs", "1"], {**more, "epochs": 1}
            self.program("train", "photos", "--vectors", "vectors.txt", "-o", "theirs.f0t", *options)
            fast0tag.train("photos", vectors="vectors.txt", **more).save("ours.f0t")
            theirs = open("theirs.f0t", "rb").read()
            self.assertTrue(open("ours.f0t", "rb").read() == theirs, options)
            self.assertTrue(theirs not in seen, options)
            seen.add(theirs)
        with self.assertLogs("fast0tag", "INFO") as logged:
            model = fast0tag.train(self.data.features, tags, vectors="vectors.txt", epochs=1)
        self.assertIn("2014", list(model.vocab))
        self.assertNotIn("mine", list(model.vocab))
        self.assertIn("60 keywords are about files or no words, and are left out: 'IMG_1000', …",
                      "\n".join(logged.output))
        refused = ((fast0tag.ArgumentError, "least is for raw", {"keep_tags": True, "least": 2}),
                   (fast0tag.ArgumentError, "plurals", {"plurals": "some"}),
                   (fast0tag.ArgumentError, "least", {"least": 0}),
                   (fast0tag.ArgumentError, "classes are for the blend",
                    {"method": "linear", "classes": "a.onnx"}),
                   (fast0tag.NotFoundError, "a.onnx", {"classes": "a.onnx"}))
        for error, told, more in refused:
            with self.subTest(told), self.assertRaisesRegex(error, told):
                fast0tag.train("photos", vectors="vectors.txt", **more)
        with self.assertRaisesRegex(fast0tag.ArgumentError, "file_words is for raw keywords: memory"):
            fast0tag.train(self.data.features, [[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 20,
                           tag_names=["cat", "dog", "sea"], vectors="vectors.txt", file_words="all")

    def test_what_was_left_for_testing_is_known(self):
        fast0tag.write_dataset("photos", self.data.features, self.data.tags)
        model = fast0tag.train("photos", vectors="vectors.txt", method="linear", test=0.25, seed=5)
        model.save("model.f0t")
        tested = model.tag_files("photos", part="test")
        self.assertEqual(len(tested), 15)
        self.assert_tagged(tested, self.program_json("tag", "model.f0t", "photos", "--part", "test"))
        whole = fast0tag.train("photos", vectors="vectors.txt", method="linear")
        with self.assertRaisesRegex(fast0tag.ArgumentError, "has learned from all"):
            whole.tag_files("photos", part="test")
        with self.assertRaisesRegex(TypeError, "a Dataset has its own split"):
            fast0tag.train(fast0tag.Dataset("photos"), vectors="vectors.txt", test=0.2)
        self.write_dataset("split")
        with self.assertRaisesRegex(fast0tag.ArgumentError, "split has a split.txt"):
            fast0tag.train("split", vectors="vectors.txt", test=0.2)

    def test_a_blend_tags_as_the_program_does(self):
        self.write_dataset()
        self.program("train", "photos", "--vectors", "vectors.txt", "-o", "m.f0t", "--epochs", "2")
        model = fast0tag.Model("m.f0t")
        listed = self.program_json("tag", "m.f0t", "photos", "-k", "6")
        self.assert_tagged(model.tag_files("photos", 6), listed)
        words = {"words": ["lake", "lorry", "rain"], "vectors": "vectors.txt", "with_seen": True}
        index, score, vocab = model.rank(self.data.features, 9, **words)
        np.testing.assert_array_equal(
            np.take_along_axis(model.scores(self.data.features, **words), index.astype(int), 1), score)
        tagger = fast0tag.Tagger(model, **words, features_only=True)
        self.assertEqual(model.tag(self.data.features, 3, **words),
                         [row.tags for row in tagger.tag_many(self.data.features, 3, diverse=0)])
        self.data.features[7, 1], kept = np.nan, self.data.features[7, 1]
        with self.assertRaisesRegex(fast0tag.NumericError, "row 7"):
            model.tag(self.data.features)
        self.data.features[7, 1] = kept

    def test_tags_of_a_dataset_and_of_a_matrix(self):
        self.write_dataset(images=[f"image {m}.jpg" for m in range(60)])
        model = self.train()
        model.save("model.f0t")
        seen = []
        self.assert_tagged(model.tag_files("photos", progress=seen.append),
                           self.program_json("tag", "model.f0t", "photos"))
        self.assertEqual(seen, [("tagging", "images", 60, 60)])
        self.assert_tagged(model.tag_files("photos", k=2, part="test"),
                           self.program_json("tag", "model.f0t", "photos", "-k", "2", "--part", "test"))
        np.save("features.npy", self.data.features.astype(np.float16))
        self.assert_tagged(model.tag_files("features.npy"),
                           self.program_json("tag", "model.f0t", "features.npy"))
        with open("words.txt", "w", encoding="utf-8") as file:
            file.write("lakes\nlorry\n")
        self.assert_tagged(
            model.tag_files("photos", words=fast0tag.load_tags("words.txt"), vectors="vectors.txt",
                            with_seen=True),
            self.program_json("tag", "model.f0t", "photos", "--vocab", "words.txt", "--vectors",
                              "vectors.txt", "--with-seen", "--diverse", "0"))

    def test_tags_of_pictures(self):
        for m in range(12):
            draw(f"photos/{m:02}.svg", ["red", "blue", "green"][m % 3],
                 ["car", "sea", "tree"][m % 3])
        self.program("train", "photos", "--vectors", "vectors.txt", "-o", "model.f0t", "--method",
                     "linear", "--lambda", "1", "--ridge", "0.1", "--test", "0.2")
        made, notes = fast0tag.import_dataset("photos", "photos", "data", backbone="builtin")
        self.assertEqual((made[0].images, made[0].tags), (12, 3))
        model = fast0tag.train("data", vectors="vectors.txt", method="linear", lambda_=1, ridge=0.1,
                               test=0.2)
        self.assertEqual(model.backbone["name"], "builtin-1")
        model.save("ours.f0t")
        with open("model.f0t", "rb") as theirs, open("ours.f0t", "rb") as ours:
            self.assertEqual(ours.read(), theirs.read())
        draw("new/a sea.svg", "blue")
        with open("new/broken.png", "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\nno picture")
        with self.assertLogs("fast0tag", "WARNING") as logged:
            got = model.tag_files(["photos", "new"], k=1)
        self.assertIn("broken.png", logged.output[0])
        self.assert_tagged(got, self.program_json("tag", "model.f0t", "photos", "new", "-k", "1"))
        self.assertEqual(got[-1], ("new/a sea.svg", [("sea", got[-1].tags[0][1])]))
        with self.assertRaisesRegex(fast0tag.Error, "broken.png"):
            model.tag_files("new", strict=True)
        with fast0tag.Backbone.open("builtin") as backbone:
            features = backbone.features(fast0tag.find_pictures("photos"))
            self.assertEqual(features.shape, (12, backbone.dim))
            np.testing.assert_array_equal(features, fast0tag.Dataset.open("data").features())
            again = model.tag_files("new/a sea.svg", k=1, backbone=backbone)
            self.assertEqual(again[0].tags[0][0], "sea")
            self.assertAlmostEqual(again[0].tags[0][1], got[-1].tags[0][1], places=5)

    def test_rows_of_a_comparison(self):
        self.write_dataset()
        options = {"methods": ["linear", "conse", "random"], "scenarios": "zero-shot,conventional",
                   "unseen": 2, "trials": 2}
        theirs = self.program_json("eval", "photos", "--vectors", "vectors.txt", "--methods",
                                   "linear,conse,random", "--scenarios", "zero-shot,conventional",
                                   "--unseen", "2", "--trials", "2")
        ours = fast0tag.evaluate("photos", vectors="vectors.txt", html="page", **options)
        self.assertEqual(plain(ours), plain(theirs))
        self.assertEqual([list(row) for row in ours], [list(row) for row in theirs])
        self.assertTrue(os.path.exists("page/index.html"))
        memory = fast0tag.evaluate(self.data.features, self.data.tags, split=self.data.split,
                                   vectors="vectors.txt", **options)
        self.assertEqual(plain(memory), plain(theirs))
        twice = fast0tag.evaluate("photos", vectors="vectors.txt", methods="random", repeat=2,
                                  unseen=2, scenarios="conventional", k=[1])
        self.assertEqual(plain(twice), plain(self.program_json(
            "eval", "photos", "--vectors", "vectors.txt", "--methods", "random", "--repeat", "2",
            "--unseen", "2", "--scenarios", "conventional", "-k", "1")))
        nobody = fast0tag.evaluate("photos", vectors="vectors.txt", methods="frequency", unseen=2,
                                   scenarios="zero-shot")
        self.assertEqual(list(nobody[0]), list(ours[0]))
        self.assertIsNone(nobody[0]["miap"])
        listed = self.program_json("eval", "--list")
        self.assertEqual(fast0tag.evaluation_methods(), [row["method"] for row in listed])

    def test_learning_curves(self):
        self.write_dataset()
        theirs = self.program_json("eval", "photos", "--vectors", "vectors.txt", "--methods", "linear",
                                   "--scenarios", "zero-shot", "--unseen", "2", "--no-tune",
                                   "--train-images", "8,1000")
        options = {"vectors": "vectors.txt", "methods": "linear", "scenarios": "zero-shot",
                   "unseen": 2, "tune": False}
        ours = fast0tag.evaluate("photos", train_images=[8, 1000], html="curves", results="kept",
                                 **options)
        self.assertEqual(plain(ours), plain(theirs))
        self.assertEqual([row["train_images"] for row in ours], [8, 1000])
        self.assertNotEqual(ours[0]["miap"], ours[1]["miap"])
        self.assertEqual(ours[1]["miap"], fast0tag.evaluate("photos", **options)[0]["miap"])
        self.assertEqual(ours[:1], fast0tag.evaluate("photos", train_images=8, results="kept", **options))
        self.assertEqual(os.listdir("curves"), ["curves-zero-shot.svg"])
        self.assertTrue(os.path.exists("kept.8") and os.path.exists("kept.1000"))
        for wrong in ([], [8, 8], [9, 8], [1], [0, 4], "8", [8.5], range(2, 19)):
            with self.assertRaisesRegex(fast0tag.ArgumentError, "train_images is"):
                fast0tag.evaluate("photos", train_images=wrong, **options)
        with self.assertRaisesRegex(fast0tag.ArgumentError, "does not go with"):
            fast0tag.evaluate("photos", train_images=8, details="d", **options)

    def test_neighbours(self):
        theirs = self.program_json("vectors", "nearest", "vectors.txt", "seas", "tree car", "-k", "3")
        with fast0tag.Vectors.open("vectors.txt") as vectors:
            for answer in theirs:
                got = vectors.nearest(answer["query"], 3)
                self.assertEqual([word for word, _ in got],
                                 [near["word"] for near in answer["neighbours"]])
                np.testing.assert_allclose([cosine for _, cosine in got],
                                           [near["cosine"] for near in answer["neighbours"]])

    def test_a_dataset_of_every_kind(self):
        names = [f"{m}.jpg" for m in range(60)]
        backbone = {"name": "of the test"}
        self.write_dataset(images=names, seen=["cat", "dog", "sea", "sky"], unseen=["tree", "car"],
                           backbone=backbone, name="pets")
        memory = fast0tag.Dataset.from_arrays(
            self.data.features, self.data.tags, images=names, split=self.data.split,
            seen=["cat", "dog", "sea", "sky"], unseen=["tree", "car"], backbone=backbone, name="pets")
        for dataset in (fast0tag.Dataset.open("photos"), memory):
            self.assertEqual((len(dataset), dataset.dim, dataset.name), (60, 8, "pets"))
            self.assertEqual(dataset.images, names)
            self.assertEqual(dataset.unseen, ["tree", "car"])
            self.assertEqual(dataset.seen, ["cat", "dog", "sea", "sky"])
            self.assertEqual([sorted(tags) for tags in dataset.image_tags()],
                             [sorted(tags) for tags in self.data.tags])
            self.assertEqual(dataset.split[:5].tolist(), [0, 0, 0, 1, 2])
            self.assertEqual(dataset.backbone, backbone)
            np.testing.assert_array_equal(dataset.features(10, 5), self.data.features[10:15])
            with self.assertRaises(IndexError):
                dataset.features(58, 3)
        self.assertEqual(self.program_json("inspect", "photos")["kind"], "dataset")
        bare = fast0tag.Dataset.from_arrays(None, [["cat"], []])
        self.assertEqual((bare.dim, bare.images, bare.seen, bare.path), (0, None, None, "memory"))
        self.assertEqual(bare.image_tags(), [["cat"], []])

    def test_a_backbone_outlives_the_threads_that_used_it(self):
        for m in range(6):
            draw(f"photos/{m}.svg", ["red", "blue", "green"][m % 3])
        pictures = fast0tag.find_pictures("photos")
        with fast0tag.Backbone.open("builtin") as backbone:
            made = []
            for _ in range(3):
                thread = threading.Thread(
                    target=lambda: made.append(backbone.features(pictures)))
                thread.start()
                thread.join()
            made.append(backbone.features(pictures))
        for features in made[1:]:
            np.testing.assert_array_equal(features, made[0])
        self.assertEqual(len(made), 4)

    def test_photos_by_a_network(self):
        folder = os.environ.get("F0T_DATA")
        if not folder:
            self.skipTest("F0T_DATA is not set")
        dataset = fast0tag.Dataset.open(f"{folder}/flickr8k")
        names = [os.path.basename(name) for name in dataset.images]
        photos = fast0tag.find_pictures(f"{folder}/photos")[:3]
        with fast0tag.Backbone.open(f"{folder}/mobilenet_v2/mobilenet_v2.onnx") as backbone:
            features = backbone.features(photos)
        for photo, made in zip(photos, features):
            kept = dataset.features(names.index(os.path.basename(photo)), 1)[0]
            cosine = made @ kept / np.linalg.norm(made) / np.linalg.norm(kept)
            self.assertGreater(cosine, 0.9999)
