#include "support.h"

#include "base/hash.h"

#include <string.h>

/* What CPython 3.11 gives for hash(bytes) with PYTHONHASHSEED=0: SipHash-1-3 with keys 0, 0. */
static void hashes_are_those_of_another_implementation(void **state)
{
    static const struct {
        const char *text;
        uint64_t hash;
    } cases[] = {{"a", UINT64_C(4644417185603328019)},
                 {"abc", UINT64_C(13851880170939887858)},
                 {"palm tree", UINT64_C(6022079668437379221)},
                 {"0123456789abcdef", UINT64_C(2108444454683020324)}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(f0t_siphash(cases[i].text, strlen(cases[i].text), 0, 0) == cases[i].hash);
}

static void every_key_gives_another_hash(void **state)
{
    (void)state;
    uint64_t hash = f0t_siphash("palm", 4, 0, 0);
    assert_true(f0t_siphash("palm", 4, 1, 0) != hash);
    assert_true(f0t_siphash("palm", 4, 0, 1) != hash);
    assert_true(f0t_siphash(NULL, 0, 0, 0) != f0t_siphash("\0", 1, 0, 0));
}

/* The test vectors of the FNV authors. */
static void fnv_is_that_of_its_authors(void **state)
{
    (void)state;
    assert_true(f0t_hash(F0T_HASH_START, "", 0) == UINT64_C(0xCBF29CE484222325));
    assert_true(f0t_hash(F0T_HASH_START, "a", 1) == UINT64_C(0xAF63DC4C8601EC8C));
    assert_true(f0t_hash(f0t_hash(F0T_HASH_START, "foo", 3), "bar", 3) ==
                UINT64_C(0x85944171F73967E8));
}

static void drawn_keys_differ(void **state)
{
    (void)state;
    assert_true(f0t_siphash_draw_key() != f0t_siphash_draw_key());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_another_implementation),
        cmocka_unit_test(every_key_gives_another_hash),
        cmocka_unit_test(fnv_is_that_of_its_authors),
        cmocka_unit_test(drawn_keys_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
