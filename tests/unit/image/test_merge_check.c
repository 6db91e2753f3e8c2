/* What a process gives back as merged XMP: one that was taken over changes what it likes. */
#include "support.h"

#include "image/merge_check.h"
#include "image/protocol.h"

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
    refuse(old, "<!DOCTYPE x [<!ENTITY a 'b'>]>" BEGIN ">" END, "+sea\n");
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

static void all_else_is_as_it_was(void **state)
{
    static const char *const others[] = {
        " xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='5'>",
        " xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Label='4'>",
        " xmlns:xmp='urn:other' xmp:Rating='4'>",
        ">",
        " xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='4'><xmp:Label>x</xmp:Label>",
        " xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='4'>text",
        " xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='4'><!-- yours -->"};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char now[2000];
        snprintf(now, sizeof now, "%s%s%s", BEGIN, others[i],
                 SUBJECT(LI("holiday") LI("Dog") LI("sea")) "<!-- mine -->" OURS(LI("sea")) END);
        refuse(old, now, "+sea\n");
    }
    refuse(old, BEGIN RATED SUBJECT(LI("holiday") LI("Dog") LI("sea")) OURS(LI("sea")) END,
           "+sea\n");
}

/* libxml2 would compare a million attributes with each other. */
static void what_is_made_to_take_long_is_refused(void **state)
{
    enum { COUNT = 1000000 };
    char *text = malloc(2000 + 12 * (size_t)COUNT), *at = text;
    (void)state;
    assert_non_null(text);
    at += sprintf(at, "%s", BEGIN);
    for (int i = 0; i < COUNT; i++)
        at += sprintf(at, " a%d=''", i);
    sprintf(at, ">" END);
    refuse(old, text, "+sea\n");
    refuse("", text, "+sea\n");
    free(text);
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
        cmocka_unit_test(what_is_made_to_take_long_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(cut_and_altered_text_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
