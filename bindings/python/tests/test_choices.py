"""Names that can be chosen: those of the library, all refused alike where there is no such name."""
import ctypes
import re
import typing
import unittest

import fast0tag
from fast0tag import _choices, _structs
from fast0tag._library import library
from support import ROOT, TestCase


def listed(message):
    """The names at the end of a message of the library."""
    return re.findall(r"[\w+-]+", re.sub(r",? (and|or) ", ", ", message))


class Names(unittest.TestCase):
    def test_enumerations_have_every_name_of_the_header(self):
        header = (ROOT / "include/fast0tag.h").read_text()
        for prefix, kind in (("METHOD", _choices.Method), ("LOSS", _choices.Loss),
                             ("PAIRS", _choices.Pairs), ("HINGE", _choices.Hinge),
                             ("OPTIMIZER", _choices.Optimizer),
                             ("CONDITION", _choices.Condition), ("MATCH", _choices.Match)):
            found = re.findall(rf"\bF0T_{prefix}_(\w+)\s*=\s*(\d+)", header)
            want = {name.lower().replace("_", "-"): int(number) for name, number in found}
            self.assertEqual(_choices.numbered(kind), want, prefix)
        split = re.search(r"enum f0t_split \{(.*?)\}", header)[1]
        self.assertEqual([name.lower() for name in re.findall(r"F0T_(\w+)", split)],
                         list(typing.get_args(_choices.Split)))

    def test_names_are_those_that_the_library_says(self):
        for function, kind in (("method", _choices.Method), ("loss", _choices.Loss)):
            name = getattr(library, f"f0t_{function}_name")
            name.restype = ctypes.c_char_p
            for number, want in enumerate(typing.get_args(kind)):
                self.assertEqual(name(number).decode(), want)

    def test_methods_of_evaluation(self):
        names = []
        while (name := library.f0t_eval_method_name(len(names))) is not None:
            names.append(name.decode())
        self.assertEqual(fast0tag.evaluation_methods(), names)

    def test_names_that_only_messages_list(self):
        options = _structs.f0t_eval_options(scenarios=b"?")
        with self.assertRaises(fast0tag.Error) as caught:
            library.f0t_eval_options_check(ctypes.byref(options))
        message = str(caught.exception).split("'?': ")[1]
        self.assertEqual(listed(message), list(typing.get_args(_choices.Scenario)))
        out = ctypes.POINTER(_structs.f0t_import_report)()
        with self.assertRaises(fast0tag.Error) as caught:
            library.f0t_import(ctypes.byref(out), b"out", b"?", (ctypes.c_char_p * 1)(b"x"), 1,
                               ctypes.byref(_structs.f0t_import_options()), None)
        message = str(caught.exception).split("'?': ")[1]
        self.assertEqual(listed(message), list(typing.get_args(_choices.Layout)))
        backbone = ctypes.POINTER(_structs.f0t_backbone)()
        with self.assertRaises(fast0tag.Error) as caught:
            library.f0t_backbone_open(ctypes.byref(backbone), b"x.onnx",
                                      ctypes.byref(_structs.f0t_backbone_options(preset=b"?")),
                                      None)
        message = str(caught.exception).split("'?': ")[1]
        self.assertEqual(listed(message), list(typing.get_args(_choices.Preset)))


class Refused(TestCase):
    def test_unknown_names_are_refused_alike(self):
        model = self.train()
        self.write_dataset()
        tries = [lambda name, o=o: self.train(**{"method": "net", o: name})
                 for o in ("method", "loss", "pairs", "target", "condition", "hinge", "optimizer")]
        tries += [
            lambda name: fast0tag.evaluate("photos", vectors="vectors.txt", methods=name),
            lambda name: fast0tag.evaluate("photos", vectors="vectors.txt", methods=["net", name]),
            lambda name: fast0tag.evaluate("photos", vectors="vectors.txt", scenarios=name),
            lambda name: fast0tag.evaluate("photos", vectors="vectors.txt", html="p", paper=name),
            lambda name: fast0tag.import_dataset(name, "a", "b"),
            lambda name: fast0tag.Backbone("x.onnx", preset=name),
            lambda name: model.tag_files("photos", part=name),
            lambda name: fast0tag.Dataset.from_arrays(None, [["a"]], split=[name]),
        ]
        for number, use in enumerate(tries):
            for name in ("magic", "", "Net "):
                with self.subTest(number=number, name=name), \
                        self.assertRaisesRegex(fast0tag.ArgumentError,
                                               rf"'{name}' is none of \w+") as caught:
                    use(name)
                self.assertIsInstance(caught.exception, ValueError)

    def test_names_of_another_type_are_refused_too(self):
        for method in (3, ["net"], b"net"):
            with self.subTest(method), self.assertRaisesRegex(ValueError, "is none of net, linear"):
                self.train(method=method)


class Options(TestCase):
    def test_what_the_method_does_not_use_is_refused_at_any_value(self):
        for options in ({"method": "linear", "loss": "ranknet"}, {"method": "linear", "epochs": 5},
                        {"method": "linear", "optimizer": "adam"}, {"method": "net", "ridge": 0.1},
                        {"method": "net", "hinge": "squared"}, {"method": "linear", "hidden": []},
                        {"method": "linear-rank", "dropout": 0.3}, {"method": "blend", "rate": 1},
                        {"method": "net", "without": []}, {"method": "blend", "tune": 1},
                        {"method": "net", "target": "ranksvm", "loss": "ranknet"}):
            with self.subTest(options), self.assertRaisesRegex(fast0tag.ArgumentError,
                                                               "does not use '"):
                self.train(**options)

    def test_no_value_is_replaced(self):
        for options in ({"rate": 0}, {"rate": -1}, {"rate": float("nan")}, {"decay": -1},
                        {"dropout": -0.1}, {"dropout": 1}, {"batch": 0}, {"epochs": 0},
                        {"epochs": -1}, {"epochs": 2.5}, {"epochs": "3"},
                        {"rate": -1.7976931348623157e308}, {"tune": 0}, {"seed": -1},
                        {"method": "linear", "lambda_": -1}, {"method": "linear", "ridge": -1},
                        {"resume": True}, {"val": 2}):
            with self.subTest(options), self.assertRaises(fast0tag.ArgumentError):
                self.train(**{"method": "net", **options})
        with self.assertRaisesRegex(fast0tag.ArgumentError, "'vote' is none of direction"):
            self.train(method="blend", without=["vote"])
        for options in ({"bf16": "no"}, {"rate": "0.1"}, {"all_tags": None}, {"tune": "long"},
                        {"val": 0.2, "split": self.data.split}):
            with self.subTest(options), self.assertRaises(TypeError):
                self.train(**{"method": "net", **options})
        with self.assertRaisesRegex(TypeError, "val goes with features and tags"):
            fast0tag.train(fast0tag.Dataset.from_arrays(self.data.features, self.data.tags),
                           vectors="vectors.txt", val=0.5)

    def test_options_are_checked_before_files_are_read(self):
        with self.assertRaises(fast0tag.ArgumentError):
            fast0tag.train("nowhere", vectors="nowhere", rate=0, method="magic")
