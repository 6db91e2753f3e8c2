# A thin front of CMake. Each target works alone: what it needs is installed first (scripts/deps).

PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 60
TARGET ?=
PART ?=
PICTURES ?=
RESULTS ?=
BUILD := build

.PHONY: all configure check test test-all demo bench results install fuzz coverage clean help
all: configure
	ninja -C $(BUILD) fast0tag_installed
	@echo "$(BUILD)/fast0tag is ready: try 'make demo', or '$(BUILD)/fast0tag help'"

# Only the first time: `make test` turns the tests on in the same folder, and they stay.
configure:
	@scripts/deps build
	@test -e $(BUILD)/build.ninja || cmake -S . -B $(BUILD) -G Ninja -DF0T_TESTS=OFF

check:
	@scripts/deps test
	@scripts/test check $(PART)

test:
	@scripts/deps test
	@scripts/test

test-all:
	@scripts/deps test bench
	@scripts/test all

# Without the clip art it says so, and how to show it on pictures of one's own.
demo: all
	@test -n "$(PICTURES)" || scripts/deps demo || true
	$(BUILD)/fast0tag demo $(if $(PICTURES),"$(PICTURES)") -o $(BUILD)/demo

bench: configure
	@scripts/deps bench
	@scripts/deps-npm bench/serve-node
	ninja -C $(BUILD) fast0tag_cli
	$(BUILD)/fast0tag bench matmul
	$(BUILD)/fast0tag bench kernels
	$(BUILD)/fast0tag bench loss
	$(BUILD)/fast0tag bench ranksvm
	$(BUILD)/fast0tag bench train
	$(BUILD)/fast0tag bench backbone

# Hours; interrupted, it goes on where it was. RESULTS='blend corel5k' runs these alone.
results: all
	scripts/results run $(RESULTS)
	scripts/results write

# The prefix is asked for at installation: one build serves any.
install: all
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

fuzz:
	@scripts/deps test
	@scripts/fuzz $(SECONDS) $(TARGET)

coverage:
	@scripts/deps test coverage
	@scripts/coverage $(or $(PART),onnx)

clean:
	rm -rf build build-asan build-tsan build-clang build-fuzz build-cov

help:
	@echo 'make                        the program build/fast0tag and the library, optimised'
	@echo 'make check PART=io          the unit tests of a part, or of what changed, and some commands'
	@echo 'make test                   every test, under sanitizers where they find most; ends with the count'
	@echo 'make test-all               each test in each way, at every place: before a release'
	@echo 'make demo                   all of it on real pictures; PICTURES=FOLDER on your own'
	@echo 'make bench                  how fast it is here, beside its peers'
	@echo 'make results                docs/results.md anew, from experiments that take hours'
	@echo 'make install PREFIX=DIR     installs into DIR (/usr/local); DESTDIR is put before it'
	@echo 'make fuzz SECONDS=600       runs each fuzz target that long; TARGET=NAME one of them'
	@echo 'make coverage PART=onnx     branches and lines that the tests of a part of src/ take'
	@echo 'make clean                  removes what was built'
