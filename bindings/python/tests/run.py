"""python3 run.py TEST.py…: runs them with unittest and prints a line for each case, in the form that
scripts/count-cases counts."""
import pathlib
import sys
import unittest


class Result(unittest.TextTestResult):
    def _line(self, mark, test):
        print(f"[{mark}] {test.id()}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._line("       OK ", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"  {reason}", file=sys.stderr)
        self._line("  SKIPPED ", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._line("  FAILED  ", test)

    def addError(self, test, err):
        super().addError(test, err)
        self._line("  FAILED  ", test)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._line("  FAILED  ", subtest)


def main(paths):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    names = [pathlib.Path(path).stem for path in paths]
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=0)
    return 0 if runner.run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
