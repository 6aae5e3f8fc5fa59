# make run | test | test-all | test-python-packages | lint | bench | install | uninstall | wheel | deb | validate | papers | simulate | ablate | accuracy | calibrate | web | web-serve: thin wrappers over CMake. Each installs what is missing first.
BUILD ?= build/release
JOBS  ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
WARPLINE = $(BUILD)/warpline
CMAKE_OPTIONS ?=
CTEST_OPTIONS ?=
# Ninja takes two thirds of make's time. A folder keeps the generator that it was made with.
NINJA = ! command -v ninja >/dev/null 2>&1 || export CMAKE_GENERATOR=$${CMAKE_GENERATOR:-Ninja};
MAKEFLAGS += --no-print-directory

.PHONY: run test test-all test-python-packages lint test-deps build configure bench measure calibrate install uninstall wheel deb validate papers simulate ablate accuracy dev fuzz format clean deps web web-serve

build: configure
	@cmake --build $(BUILD) -j $(JOBS)

configure: deps
	@$(NINJA) cmake --preset release -B $(BUILD) $(CMAKE_OPTIONS) >/dev/null

deps:
	@sh scripts/install-deps.sh

# Tests that need the second line are skipped where it cannot be installed.
test-deps:
	@sh scripts/install-deps.sh libopenmpi-dev openmpi-bin python3 g++
	@sh scripts/install-deps.sh python3-numpy python3-pytest mandoc || echo "test: going on without pytest and mandoc"

# The main job on an embedded example: the launches of the paper's range-4 stencil, ranked on two GPUs, and the best in full.
run: configure
	@sh scripts/build-progress.sh cmake --build $(BUILD) -j $(JOBS) --target warpline_cli
	@$(WARPLINE) rank star3d_r4 --device a100-40gb --device h200 --plot $(BUILD)/star3d_r4.svg
	@echo
	@echo "A map of all blocks, coloured by time: $(BUILD)/star3d_r4.svg"
	@echo "One of them in full (try: $(WARPLINE) diff star3d_r4 --device a100-40gb 512x2x1 16x2x32):"
	@echo
	@$(WARPLINE) predict star3d_r4 --device a100-40gb --block 16x2x32

# What only tests need: searches by several processes, and the Python text that exports write. Slow tests run in part. One
# test more than there are cores: some wait.
test: test-deps build
	@WARPLINE_TEST_EFFORT=quick ctest --test-dir $(BUILD) --output-on-failure -j $$(($(JOBS) + 1)) $(CTEST_OPTIONS)

# Every test in full, with all compilers there are, the sanitizers, another locale, and another kind of machine. An hour.
test-all: test-deps
	@sh scripts/test-all.sh $(JOBS)

# The Python module with packages of PyPI (Triton, mypy), in virtual environments: some minutes, and some hundred MB. What pip
# cannot get is skipped, and it says why.
test-python-packages: configure
	@cmake --build $(BUILD) -j $(JOBS) --target warpline --target warpline_cli
	@sh scripts/install-deps.sh python3 && { sh scripts/install-deps.sh python3-venv || true; }
	@sh tests/python_packages/run.sh $(abspath $(WARPLINE)) $(abspath $(BUILD))/libwarpline.so $(CURDIR) $(BUILD)/python-packages

# clang-tidy, cppcheck and clang-format, where they are installed
lint: configure
	@sh scripts/lint.sh $(BUILD) $(JOBS)

bench: build
	@for b in $(BUILD)/bench/bench_*; do [ -x $$b ] && [ -f $$b ] && $$b || exit 1; done

# Times and hardware counters of a program of validate/cuda, as the tables of validate/data. Needs a CUDA GPU, nvcc and ncu.
SOURCE ?= validate/cuda/fit.cu
OUT ?= build/measure
measure:
	@sh validate/measure.sh $(SOURCE) $(OUT)

# All measured tables against the predictions: docs/accuracy.md with its plots, validate/accuracy*.json. Minutes, no GPU.
DATE ?= $(shell date +%F)
validate: configure
	@cmake --build $(BUILD) -j $(JOBS) --target warpline_cli --target warpline_report --target warpline_make_data
	@sh scripts/install-deps.sh python3
	@sh scripts/install-deps.sh gnuplot-nox || echo "validate: going on without gnuplot"
	@sh validate/report/validate.sh $(BUILD) $(JOBS) $(DATE)

# Figures and tables of five papers, published and predicted: docs/papers.md. A minute, no GPU. ONLY="transposes": prints
# and draws the figures with that in their heading. simulate: the letter's applications in an event simulator, beside models.
simulate: ONLY = Memory divergence, figure 3
papers simulate: configure
	@cmake --build $(BUILD) -j $(JOBS) --target warpline_cli --target test_against_simulator
	@sh scripts/install-deps.sh python3
	@python3 -B validate/papers/papers.py $(BUILD)/warpline --simulator $(BUILD)/tests/test_against_simulator --jobs $(JOBS) $(if $(ONLY),--only "$(ONLY)")

# What each law of the model is worth: docs/ablation.md. An hour on two cores, no GPU.
ablate: configure
	@cmake --build $(BUILD) -j $(JOBS) --target warpline_cli --target warpline_make_data
	@sh scripts/install-deps.sh python3
	@mkdir -p build/ablate/data && $(BUILD)/warpline_make_data build/ablate/data
	@python3 -B validate/ablate/ablate.py $(BUILD)/warpline --jobs $(JOBS) --report docs/ablation.md

# Has anything become worse than validate/accuracy.json? The quick part of it, seconds.
accuracy: build
	@ctest --test-dir $(BUILD) --output-on-failure -R '^accuracy'

# make install [PREFIX=/usr/local] [DESTDIR=...]; make uninstall with the same two removes it.
install: configure
	@cmake --build $(BUILD) -j $(JOBS) --target warpline warpline_static warpline_cli man_pages
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix $(PREFIX) >$(BUILD)/install.log || { cat $(BUILD)/install.log; exit 1; }
	@cp $(BUILD)/install_manifest.txt "$(DESTDIR)$(PREFIX)/share/warpline/installed-files.txt"
	@echo "installed $$(grep -c . $(BUILD)/install_manifest.txt) files below $(DESTDIR)$(PREFIX)"

uninstall:
	@cmake -DDESTDIR="$(DESTDIR)" -DPREFIX=$(PREFIX) -P cmake/uninstall.cmake

# The Python module with the library inside, in build/wheel. Needs python3 and no network.
wheel: configure
	@cmake --build $(BUILD) -j $(JOBS) --target warpline
	@sh scripts/install-deps.sh python3
	@rm -rf build/wheel && python3 python/backend.py build/wheel $(BUILD)/libwarpline.so

# Debian packages in build/deb: tool, library, headers, Python module; lintian looks at them where it is installed.
deb:
	@sh scripts/make-deb.sh

# Measures the GPU of this machine (needs nvcc, no profiler) and writes its device file: make calibrate [OUT=my-gpu.yaml]
calibrate:
	@sh calibrate/calibrate.sh $(OUT)

# The page that predicts in a browser, in build/web: for any static host, or opened from the disk (docs/web.md). Compiles the
# command line to WebAssembly with emscripten, some hundred MB, and libraries from Debian's sources. Minutes.
web:
	@sh scripts/install-deps.sh emscripten python3 xz-utils || { echo "web: not made: emscripten cannot be installed here" >&2; exit 1; }
	@sh web/build.sh build/web build/web-work $(JOBS)
	@echo "open build/web/index.html in a browser, or run: make web-serve"

PORT ?= 8000
web-serve: web
	@echo "http://localhost:$(PORT)/ (Ctrl-C ends it)"
	@python3 -m http.server --bind 127.0.0.1 --directory build/web $(PORT)

# AddressSanitizer and UndefinedBehaviorSanitizer
dev: deps
	@$(NINJA) cmake --preset dev >/dev/null && cmake --build build/dev -j $(JOBS) && WARPLINE_TEST_EFFORT=quick ctest --test-dir build/dev --output-on-failure -j $(JOBS)

# Ten minutes per target; needs clang. SECONDS_PER_TARGET=60 make fuzz for less.
fuzz: deps
	@sh tests/fuzz/fuzz.sh

format:
	@clang-format -i $$(git ls-files '*.c' '*.h' ':!validate/cuda')

clean:
	@rm -rf build
