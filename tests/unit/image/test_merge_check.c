/* What a process gives back as merged XMP: one that was taken over changes what it likes. */
#include "support.h"

#include "base/monitor.h"
#include "image/merge_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN                                                                                \
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "                                          \
    "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' " \
    "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:f0t='urn:fast0tag:xmp:1.0/'"
#define RATED " xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='4'>"
#define SUBJECT(items) "<dc:subject><rdf:Bag>" items "</rdf:Bag></dc:subject>"
#define OURS(items) "<f0t:tags><rdf:Bag>" items "</rdf:Bag></f0t:tags>"
#define RECORD(items) "<f0t:subject><rdf:Bag>" items "</rdf:Bag></f0t:subject>"
#define LI(text) "<rdf:li>" text "</rdf:li>"
#define END "</rdf:Description></rdf:RDF></x:xmpmeta>"

static f0t_status check(const char *old, const char *now, const char *lines)
{
    const f0t_xmp_merged merged = {
        .text = now, .length = strlen(now), .changed = true, .change = ""};
    return f0t_merge_check(&merged, old, strlen(old), lines, "a.xmp");
}

static void refuse(const char *old, const char *now, const char *lines)
{
    assert_fails(F0T_ERROR_FORMAT, "a.xmp: its XMP came back with other changes",
                 check(old, now, lines));
}

static const char old[] = BEGIN RATED SUBJECT(LI("holiday") LI("Dog")) "<!-- mine -->" END;
static const char right[] =
    BEGIN RATED SUBJECT(LI("holiday") LI("Dog") LI("sea")) "<!-- mine -->" OURS(LI("sea"))
        RECORD(LI("sea")) END;

static void what_was_asked_for_is_right(void **state)
{
    (void)state;
    assert_ok(check(old, right, "+sea\n=holiday\n=Dog\n"));
    assert_ok(check(old, right, "+sea\n+dog\n")); /* which the person has */
    assert_ok(check(right, old, "-\n"));
    assert_ok(check("", BEGIN ">" SUBJECT(LI("sea")) OURS(LI("sea")) END, "+sea\n"));
    assert_ok(check(BEGIN ">" SUBJECT(LI("sea")) OURS(LI("sea")) END, "", "-\n"));
    /* one that somebody has rejected */
    assert_ok(check(
        old,
        BEGIN RATED SUBJECT(LI("holiday") LI("Dog")) "<!-- mine --><f0t:rejected><rdf:Bag>" LI(
            "sea") "</rdf:Bag></f0t:rejected>" END,
        "+sea\n"));
}

static void what_is_no_xmp_is_refused(void **state)
{
    (void)state;
    refuse(old, "no XML", "+sea\n");
    refuse(old, "<a/>", "+sea\n");
    refuse(old, BEGIN RATED SUBJECT(LI("sea")), "+sea\n");
    refuse("", BEGIN ">" SUBJECT(LI("sea\xff")) OURS(LI("sea")) END, "+sea\n");
    refuse(old, "", "+sea\n");
    refuse(old, "", "-\n");
}

static void keywords_of_a_person_stay(void **state)
{
    (void)state;
    refuse(old, BEGIN RATED SUBJECT(LI("Dog") LI("sea")) "<!-- mine -->" OURS(LI("sea")) END,
           "+sea\n");
    refuse(old,
           BEGIN RATED SUBJECT(LI("holiday") LI("dog") LI("sea")) "<!-- mine -->" OURS(LI("sea"))
               END,
           "+sea\n");
    refuse(right, BEGIN RATED SUBJECT(LI("Dog")) "<!-- mine -->" END, "-\n");
    refuse(BEGIN ">" SUBJECT(LI("a") LI("a")) END,
           BEGIN ">" SUBJECT(LI("a") LI("b")) OURS(LI("b")) END, "+b\n");
}

static void nothing_comes_that_was_not_asked_for(void **state)
{
    (void)state;
    refuse(old,
           BEGIN RATED SUBJECT(LI("holiday") LI("Dog") LI("sea")
                                   LI("buy this")) "<!-- mine -->" OURS(LI("sea")) END,
           "+sea\n");
    refuse(old, BEGIN RATED SUBJECT(LI("holiday") LI("Dog")) "<!-- mine -->" END, "+sea\n");
    refuse(old, right, "+sea\n+beach\n");
    refuse(old, right, "+beach\n");
    refuse("", BEGIN RATED SUBJECT(LI("sea")) OURS(LI("sea")) END, "+sea\n");
}

/* `text` with one thing changed. */
static const char *changed(const char *text, const char *from, const char *to)
{
    static char now[4096];
    const char *at = strstr(text, from);
    assert_non_null(at);
    snprintf(now, sizeof now, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return now;
}

static void all_else_is_as_it_was(void **state)
{
    static const char *const changes[][2] = {
        {"Rating='4'", "Rating='5'"},
        {"Rating='4'", "Label='4'"},
        {"http://ns.adobe.com/xap/1.0/", "urn:other"},
        {" xmp:Rating='4'", ""},
        {"<!-- mine -->", "<!-- mine --><xmp:Label>x</xmp:Label>"},
        {"<!-- mine -->", "<!-- mine -->text"},
        {"<!-- mine -->", "<!-- yours -->"},
        {"<!-- mine -->", ""},
        {"rdf:about=''", "rdf:about='uuid:1'"},
        {"<rdf:Description", "<rdf:Description rdf:about='uuid:1'/><rdf:Description"},
        {"<rdf:Description", "<rdf:Description rdf:nodeID='a'/><rdf:Description"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        refuse(old, changed(right, changes[i][0], changes[i][1]), "+sea\n");
}

/* What is not read as a keyword is not hidden where keywords are. */
static void nothing_hides_among_keywords(void **state)
{
    static const char *const changes[][2] = {
        {"<dc:subject>",
         "<dc:subject><rdf:Bag><rdf:li>spam</rdf:li></rdf:Bag></dc:subject><dc:subject>"},
        {"</dc:subject>", "</dc:subject><dc:subject>spam</dc:subject>"},
        {"rdf:about=''", "rdf:about='' dc:subject='sea'"},
        {"</rdf:Description>", "</rdf:Description><rdf:Description dc:subject='spam' "
                               "xmlns:dc='http://purl.org/dc/elements/1.1/'/>"},
        {"<dc:subject>", "<dc:subject rdf:resource='spam'>"},
        {"<dc:subject>", "<dc:subject><!-- spam -->"},
        {"<rdf:Bag>", "<rdf:Bag dc:title='spam'>"},
        {"<rdf:Bag>", "<rdf:Bag><dc:title>spam</dc:title>"},
        {"</rdf:Bag>", "</rdf:Bag><rdf:Seq><rdf:li>spam</rdf:li></rdf:Seq>"},
        {"<rdf:li>", "<rdf:li xml:lang='spam'>"},
        {"<rdf:li>holiday", "<rdf:li dc:title='spam'>holiday"},
        {"<rdf:li>holiday</rdf:li>",
         "<rdf:li><rdf:Description rdf:value='holiday' dc:title='spam'/></rdf:li>"},
        {"<f0t:tags>",
         "<f0t:created><rdf:Bag><rdf:li>yes</rdf:li></rdf:Bag></f0t:created><f0t:tags>"},
        {"<!-- mine -->", "<!-- mine --><xmp:Other><dc:subject>spam</dc:subject></xmp:Other>"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        refuse(old, changed(right, changes[i][0], changes[i][1]), "+sea\n");
    refuse("", BEGIN ">" SUBJECT(LI("sea")) OURS(LI("sea")) "<f0t:created>spam</f0t:created>" END,
           "+sea\n");
}

/* Qualifiers and comments of others stay, and words beside them may come. */
static void what_others_have_in_lists_stays(void **state)
{
    static const char was[] =
        BEGIN ">" SUBJECT("<rdf:li xml:lang='de'>Hund</rdf:li><!-- a -->" LI("b")) END;
    static const char is[] =
        BEGIN ">" SUBJECT("<rdf:li xml:lang='de'>Hund</rdf:li><!-- a -->" LI("b") LI("sea"))
            OURS(LI("sea")) END;
    (void)state;
    assert_ok(check(was, is, "+sea\n"));
    assert_ok(check(is, was, "-\n"));
    refuse(was, changed(is, " xml:lang='de'", ""), "+sea\n");
    refuse(was, changed(is, "'de'", "'en'"), "+sea\n");
    refuse(was, changed(is, "<!-- a -->", ""), "+sea\n");
    assert_ok(check(BEGIN " dc:subject='b'>" END,
                    BEGIN ">" SUBJECT(LI("b") LI("sea")) OURS(LI("sea")) END, "+sea\n"));
}

/* The old text, where it cannot be compared. */
static void what_cannot_be_compared_stays(void **state)
{
    static const char *const texts[] = {"no XML", "<a/>", BEGIN ">", "<!DOCTYPE x>" BEGIN ">" END,
                                        BEGIN ">" SUBJECT(LI("\xE4")) END};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_fails(F0T_ERROR_UNSUPPORTED, "a.xmp: its XMP is no plain XML in Unicode",
                     check(texts[i], right, "+sea\n"));
}

/* The old text in UTF-16 is compared as well. */
static f0t_status check_wide(const char *old_text, const char *now, const char *lines)
{
    const f0t_xmp_merged merged = {
        .text = now, .length = strlen(now), .changed = true, .change = ""};
    char wide[8192] = "\xFF\xFE";
    const size_t length = strlen(old_text);
    for (size_t i = 0; i < length; i++)
        wide[2 + 2 * i] = old_text[i];
    return f0t_merge_check(&merged, wide, 2 + 2 * length, lines, "a.xmp");
}

static void wide_text_is_compared(void **state)
{
    (void)state;
    assert_ok(check_wide(old, right, "+sea\n"));
    assert_ok(check_wide("<?xml version='1.0' encoding='UTF-16'?>" BEGIN ">" END,
                         BEGIN ">" SUBJECT(LI("sea")) OURS(LI("sea")) END, "+sea\n"));
    assert_fails(F0T_ERROR_FORMAT, "a.xmp: its XMP came back with other changes",
                 check_wide(old, changed(right, "Rating='4'", "Rating='5'"), "+sea\n"));
    assert_fails(F0T_ERROR_FORMAT, "a.xmp: its XMP came back with other changes",
                 check_wide(old, changed(right, LI("holiday"), ""), "+sea\n"));
    assert_fails(F0T_ERROR_UNSUPPORTED, "a.xmp: its XMP is no plain XML in Unicode",
                 check_wide("no XML", right, "+sea\n"));
    assert_fails(F0T_ERROR_UNSUPPORTED, "a.xmp: its XMP is no plain XML in Unicode",
                 check("\xFF\xFE<", right, "+sea\n"));
}

static void other_readers_read_the_same(void **state)
{
    static const char *const begins[] = {"<?xml version='1.0' encoding='UTF-7'?>",
                                         "\xEF\xBB\xBF<?xml version='1.0' encoding = \"utf-16\"?>",
                                         "<?xml version='1.0' encoding='UTF-8", "<!DOCTYPE x>",
                                         "<!DOCTYPE x [<!ENTITY a 'b'>]>"};
    char now[4096];
    (void)state;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        snprintf(now, sizeof now, "%s%s", begins[i], right);
        refuse(old, now, "+sea\n");
    }
    snprintf(now, sizeof now, "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?>%s", right);
    assert_ok(check(old, now, "+sea\n"));
}

/* Text that libxml2 would take minutes for: `one` again and again, between the others. */
static void refuse_soon(const char *begin, const char *one, const char *end, int count)
{
    char *text = malloc(4096 + (strlen(one) + 10) * (size_t)count), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", begin);
    for (int i = 0; i < count; i++) {
        const char *number = strchr(one, '#');
        at += number ? sprintf(at, "%.*s%d%s", (int)(number - one), one, i, number + 1)
                     : sprintf(at, "%s", one);
    }
    sprintf(at, "%s", end);
    const double before = f0t_cpu_time();
    refuse(old, text, "+sea\n");
    refuse("", text, "+sea\n");
    assert_true(f0t_cpu_time() - before < 10); /* with a sanitizer */
    free(text);
}

static void what_is_made_to_take_long_is_refused(void **state)
{
    (void)state;
    refuse_soon(BEGIN, " a#=''", ">" END, 1000000);
    refuse_soon("<!-->" BEGIN, " a#=''", ">" END "<!-- -->", 1000000);
    refuse_soon(BEGIN " ", "xmlns:a#='b' ", ">" END, 15000);
    refuse_soon(BEGIN ">", "<a xmlns:a#='b'>", END, 200);
    refuse_soon(BEGIN " a='<' ", "b ", ">" END, 10);
    refuse_soon(BEGIN ">", "<b:a xmlns:a#='b'/>", END, 1000000);
}

static f0t_status check_once(void *context)
{
    (void)context;
    return check(old, right, "+sea\n=holiday\n");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, check_once, NULL);
}

static f0t_status load(const void *data, size_t size)
{
    const f0t_xmp_merged merged = {.text = data, .length = size, .changed = true, .change = ""};
    return f0t_merge_check(&merged, old, strlen(old), "+sea\n", "a.xmp");
}

static void cut_and_altered_text_does_no_harm(void **state)
{
    (void)state;
    test_cut_everywhere(right, strlen(right), load, NULL);
    test_alter_everywhere(right, strlen(right), load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_asked_for_is_right),
        cmocka_unit_test(what_is_no_xmp_is_refused),
        cmocka_unit_test(keywords_of_a_person_stay),
        cmocka_unit_test(nothing_comes_that_was_not_asked_for),
        cmocka_unit_test(all_else_is_as_it_was),
        cmocka_unit_test(nothing_hides_among_keywords),
        cmocka_unit_test(what_others_have_in_lists_stays),
        cmocka_unit_test(what_cannot_be_compared_stays),
        cmocka_unit_test(wide_text_is_compared),
        cmocka_unit_test(other_readers_read_the_same),
        cmocka_unit_test(what_is_made_to_take_long_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(cut_and_altered_text_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
