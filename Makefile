# SPDX-License-Identifier: GPL-2.0-only
#
#   make          build/reeve
#   make SAN=1    the same with ASan and UBSan, in build-san/
#   make check    installs what is missing, builds, runs every test suite of selftests/
#   make demo     installs what is missing, builds, shows real requests under the policy
#   make bench    the measurements, or some (BENCH="launch cap")
#   make fuzz     libFuzzer, FUZZ_SECONDS each
#   make format   clang-format              make clean

VERSION := 0.1.0

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all tests benches headers fuzzers check demo bench fuzz format clean

# What each layer may use, itself first: the archives that a unit test of it links with, and the include
# rule that selftests/lint enforces. include/ is open to all.
uses_include :=
uses_base    := base
uses_model   := model base
uses_record  := record model base
uses_wire    := wire model record base
uses_kernel  := kernel model base
uses_engine  := engine kernel record model base
uses_daemon  := daemon engine kernel wire record model base
uses_mcp     := mcp engine kernel wire record model base
uses_cli     := cli daemon engine kernel wire record model base
# What selftests/bpf, live and fuzz link with.
uses_all     := cli mcp daemon engine kernel wire record model base

CC       := $(if $(FUZZ),clang,cc)
BUILD    := build$(if $(SAN),-san)$(if $(FUZZ),-fuzz)
PACKAGES := .ci/packages
LIBRARY  := libbpf libelf zlib libcjson libpcre2-8 libevent_core libseccomp libnl-route-3.0 libnftables sqlite3 libmd

CFLAGS   := -O2 -g
warnings := -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wold-style-definition -Wpointer-arith -Wvla -Werror
sanitize := $(if $(SAN)$(FUZZ),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all \
	    -fno-omit-frame-pointer) $(if $(FUZZ),-fsanitize=fuzzer-no-link)
language := -std=gnu11 -D_GNU_SOURCE= $(warnings)
cpp_libs := $(shell pkg-config --cflags $(LIBRARY) 2>/dev/null)

# A library's archive where there is one: loading the shared ones takes a third of the time to main().
# libc's own parts stay shared.
archive  = $(filter /%,$(shell $(CC) -print-file-name=$(patsubst -l%,lib%.a,$1)))
libs     := $(foreach l,$(filter-out -lm -lpthread -ldl -lrt, \
	    $(shell pkg-config --static --libs $(LIBRARY) 2>/dev/null)) \
	    -lresolv,$(or $(call archive,$l),$l)) -lm

compile   = $(CC) $(language) $(CFLAGS) $(sanitize) -MMD -MP -I$(BUILD)/gen $(cpp_libs)
link      = $(CC) $(CFLAGS) $(sanitize) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
	    -Wl,--as-needed $(libs)

# --- sources ----------------------------------------------------------------------------------------

bpf_src   := bpf/maps.bpf.c $(filter-out bpf/maps.bpf.c,$(sort $(wildcard bpf/*.bpf.c)))
unit_src  := $(wildcard selftests/unit/*.c)
whole_src := $(wildcard selftests/bpf/*.c selftests/live/*.c)
fuzz_src  := $(wildcard selftests/fuzz/fuzz_*.c)
bench_src := $(patsubst %,selftests/bench/%.c,launch connect proxy switch cap memory load)
bench_lib := $(filter-out $(bench_src),$(wildcard selftests/bench/*.c))
prog_src  := $(wildcard selftests/live/prog/*.c)
# The daemon is tested around a hall that is acted; the object comes before the engine's archive.
fake_hall := $(BUILD)/selftests/fake/hall.o $(BUILD)/selftests/fake/hall_requests.o
around_fake := $(wildcard selftests/unit/daemon_*.c selftests/fuzz/fuzz_http.c selftests/fake/daemon.c)
layer_src  = $(filter-out %/main.c %_gen.c,$(wildcard user/$1/*.c))
layers    := $(foreach l,$(uses_all),$(if $(call layer_src,$l),$l))

archives   = $(patsubst %,$(BUILD)/lib%.a,$(filter $(layers),$(uses_$1)))
objects    = $(patsubst %.c,$(BUILD)/%.o,$1)
programs   = $(patsubst %.c,$(BUILD)/%,$1)
layer_of   = $(firstword $(subst _, ,$(basename $(notdir $1))))

reeve     := $(BUILD)/reeve

# What must be generated before a layer is compiled; the generator itself is made from two of its files.
generated_wire   := $(BUILD)/gen/schemas.h
generated_kernel := $(BUILD)/gen/reeve.skel.h $(BUILD)/gen/seccomp_default.h
seccomp_gen_src  := user/kernel/seccomp_gen.c user/kernel/seccomp_compile.c

all: $(reeve)

# --- user space -------------------------------------------------------------------------------------

$(BUILD)/%.o: %.c | $(BUILD)/.tools
	@mkdir -p $(@D)
	$(compile) -c -o $@ $<

$(BUILD)/user/cli/main.o: Makefile
$(BUILD)/user/cli/main.o: private language += -DREEVE_VERSION='"$(VERSION)"'

$(call objects,$(call layer_src,wire) $(wildcard selftests/*/*.c)): | $(generated_wire)
$(call objects,$(filter-out $(seccomp_gen_src),$(call layer_src,kernel)) $(wildcard selftests/bpf/*.c)): \
	| $(generated_kernel)

$(foreach l,$(layers),$(eval $(BUILD)/lib$l.a: $(call objects,$(call layer_src,$l))))
$(BUILD)/lib%.a:
	@rm -f $@
	ar rcs $@ $^

$(reeve): $(BUILD)/user/cli/main.o $(call archives,all)
	$(link)

$(BUILD)/seccomp_gen: $(call objects,$(seccomp_gen_src)) $(call archives,model)
	$(link)

$(BUILD)/gen/seccomp_default.h: $(BUILD)/seccomp_gen
	@mkdir -p $(@D)
	$< > $@

# schemas[]: every file of schemas/ as { "its name without .json", "its text" }.
$(BUILD)/gen/schemas.h: $(wildcard schemas/*.json) Makefile
	@mkdir -p $(@D)
	@{ echo 'static const struct { const char *name, *text; } schemas[] = {'; \
	  for f in $(filter %.json,$^); do \
		printf '{ "%s",\n' "$$(basename $$f .json)"; \
		sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $$f; \
		echo '},'; \
	  done; \
	  echo '};'; } > $@

# Every header must stand alone: each is compiled by itself, which leaves nothing but a stamp.
headers: $(patsubst %,$(BUILD)/alone/%,$(wildcard include/*.h user/*/*.h selftests/*.h bpf/*.h))
$(BUILD)/alone/bpf/%: bpf/% | $(BUILD)/.tools
	@mkdir -p $(@D)
	clang $(bpf_cflags) -Wno-unused-function -MF $@.d -MT $@ -fsyntax-only -x c $< && touch $@
$(BUILD)/alone/%: % | $(BUILD)/.tools
	@mkdir -p $(@D)
	$(compile) -MF $@.d -MT $@ -fsyntax-only -x c $< && touch $@

# --- BPF --------------------------------------------------------------------------------------------

bpf_cflags := -target bpf -mcpu=v3 -g -O2 -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Werror \
	      -MMD -MP -Iinclude -Ivmlinux \
	      -idirafter /usr/include/$(shell uname -m)-linux-gnu

$(BUILD)/bpf/%.o: bpf/%.bpf.c | $(BUILD)/.tools
	@mkdir -p $(@D)
	clang $(bpf_cflags) -c -o $@ $<

# The file that defines the maps comes first: the linker takes a map's definition from there.
$(BUILD)/bpf/reeve.bpf.o: $(patsubst bpf/%.bpf.c,$(BUILD)/bpf/%.o,$(bpf_src))
	$$($(PACKAGES) --bpftool) gen object $@ $^

$(BUILD)/gen/reeve.skel.h: $(BUILD)/bpf/reeve.bpf.o
	@mkdir -p $(@D)
	$$($(PACKAGES) --bpftool) gen skeleton $< name reeve > $@

# --- selftests --------------------------------------------------------------------------------------

tests: $(call programs,$(unit_src) $(whole_src) $(fuzz_src) selftests/fake/daemon.c) \
       $(patsubst selftests/live/prog/%.c,$(BUILD)/prog/%,$(prog_src))

$(foreach t,$(unit_src),$(eval $(call programs,$t): $(call archives,$(call layer_of,$t))))
$(call programs,$(whole_src) $(fuzz_src)): $(call archives,all)
$(call programs,$(around_fake)): $(fake_hall)
$(BUILD)/selftests/fake/daemon: $(BUILD)/selftests/fake/daemon.o $(fake_hall) $(call archives,daemon)
	$(link)
$(call programs,$(fuzz_src)): $(if $(FUZZ),,$(BUILD)/selftests/fuzz/replay.o)
$(call programs,$(fuzz_src)): private sanitize += $(if $(FUZZ),-fsanitize=fuzzer)

$(BUILD)/selftests/%: $(BUILD)/selftests/%.o $(if $(FUZZ),,$(BUILD)/selftests/test.o)
	$(link)

benches: $(call programs,$(bench_src))
$(call programs,$(bench_src)): $(BUILD)/%: $(BUILD)/%.o $(call objects,$(bench_lib)) $(call archives,all)
	$(link)

# What runs inside the sandbox has no library of the build machine to rely on.
$(BUILD)/prog/%: selftests/live/prog/%.c | $(BUILD)/.tools
	@mkdir -p $(@D)
	$(CC) $(language) $(CFLAGS) -MMD -MP -MF $@.d -MT $@ -static -o $@ $< -lresolv

# Packages may be new since this make read its libraries: build in another.
again = $(MAKE) $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc)) --no-print-directory

check:
	@$(PACKAGES) build check
	@$(again) -s all tests
	@$(again) -s SAN=1 all tests
	@selftests/run $(SUITES)

demo:
	@$(PACKAGES) build check
	@$(again) -s all $(BUILD)/prog/playserver $(BUILD)/prog/playdns
	@selftests/demo.sh

bench:
	@$(PACKAGES) build check bench
	@$(again) -s all benches
	@selftests/bench/run $(BENCH)

FUZZ_SECONDS ?= 60
fuzz:
	@$(PACKAGES) build fuzz
	@$(again) -s FUZZ=1 fuzzers
	@set -e; for f in $(notdir $(basename $(fuzz_src))); do \
		mkdir -p build-fuzz/corpus/$$f; \
		build-fuzz/selftests/fuzz/$$f -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=build-fuzz/ \
			build-fuzz/corpus/$$f selftests/fuzz/corpus/$$f; \
	done

fuzzers: $(call programs,$(fuzz_src))

format:
	@$$(command -v clang-format-14 || echo clang-format) -i $(wildcard $(foreach d,bpf include vmlinux user/* selftests selftests/* selftests/live/prog selftests/live/musl selftests/live/ways,$d/*.[ch]))

clean:
	rm -rf build build-san build-fuzz

# One line that names the packages, before any compiler is started without them.
$(BUILD)/.tools: $(PACKAGES)
	@mkdir -p $(@D)
	@$(PACKAGES) --missing build
	@touch $@

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
