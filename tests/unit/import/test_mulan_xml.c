#include "support.h"

#include "import/mulan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static f0t_status read_labels(f0t_names *labels, const char *text)
{
    *labels = (f0t_names){0};
    return f0t_mulan_xml_read(labels, text, strlen(text), "l.xml");
}

static void expect(const char *text, size_t count, const char *last)
{
    f0t_names labels;
    assert_ok(read_labels(&labels, text));
    assert_int_equal(f0t_names_count(&labels), count);
    assert_string_equal(f0t_names_get(&labels, count - 1), last);
    f0t_names_free(&labels);
}

static void refuse(const char *text, const char *says)
{
    f0t_names labels;
    assert_fails(F0T_ERROR_FORMAT, says, read_labels(&labels, text));
    f0t_names_free(&labels);
}

static void labels_are_read_in_order(void **state)
{
    (void)state;
    expect("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
           "<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n"
           "<label name=\"city\"></label><label name='palm &amp; tree'/></labels>",
           2, "palm & tree");
    expect("<labels><label name=' a '/></labels>", 1, "a");
    expect("<labels><label name='&#38;#38;&lt;&quot;&#x41;'/></labels>", 1, "&#38;<\"A");
    expect("<labels><!-- no --><label name='\xC3\xA9'/></labels>", 1, "\xC3\xA9");
}

static void labels_inside_labels_are_labels_too(void **state)
{
    (void)state;
    expect("<labels><label name='a'><label name='b'><label name='c'/></label></label>"
           "<label name='d'/></labels>",
           4, "d");
}

static void other_documents_are_refused(void **state)
{
    (void)state;
    refuse("", "l.xml");
    refuse("hello", "l.xml:1");
    refuse("<labels/>", "names no label");
    refuse("<labels><label/></labels>", "l.xml:1: a label has no name");
    refuse("<labels>\n<label name=''/></labels>", "l.xml:2: a label's name is empty");
    refuse("<labels><label name='a&#9;b'/></labels>", "control characters");
    refuse("<labels><label name='a'/><label name='a'/></labels>", "'a' is there twice");
    refuse("<html><body/></html>", "<html>: only <labels>");
    refuse("<labels><label name='a'/>", "l.xml:1");
    refuse("<labels><label name='a'></labels>", "l.xml:1");
    refuse("<labels><label name='\xFF'/></labels>", "l.xml");
    refuse("<labels><label name='&x;'/></labels>", "l.xml");
}

static void document_types_and_entities_are_refused(void **state)
{
    (void)state;
    refuse("<!DOCTYPE labels SYSTEM 'file:///etc/passwd'><labels><label name='a'/></labels>",
           "a DOCTYPE is not accepted");
    refuse("<!DOCTYPE l [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;'>]>"
           "<labels><label name='&c;'/></labels>",
           "a DOCTYPE is not accepted");
    refuse("<!DOCTYPE l [<!ENTITY % p SYSTEM 'http://127.0.0.1/x'>%p;]>"
           "<labels><label name='a'/></labels>",
           "a DOCTYPE is not accepted");
}

/* libxml2 compares each attribute with all others: 400,000 of them took 46 s. */
static void long_tags_are_refused_before_they_are_read(void **state)
{
    (void)state;
    enum { COUNT = 400000 };
    char *text = malloc((size_t)COUNT * 16), *at = text + sprintf(text, "<labels><label ");
    for (int i = 0; i < COUNT; i++)
        at += sprintf(at, "a%d='>' ", i);
    sprintf(at, "name='x'/></labels>");
    clock_t start = clock();
    refuse(text, "l.xml:1: a tag or comment is longer than 65536 bytes");
    assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
    at = text + sprintf(text, "<labels>");
    for (int i = 0; i < 100; i++)
        at += sprintf(at, "%s a%d=''", i ? "" : "<label", i);
    sprintf(at, " name='x'/></labels>");
    refuse(text, "more than 64 attributes");
    at = text + sprintf(text, "<labels>");
    for (int i = 0; i < 100; i++)
        at += sprintf(at, "%s xmlns:a%d='u'", i ? "" : "<label", i);
    sprintf(at, " name='x'/></labels>");
    refuse(text, "more than 64 attributes");
    at = text + sprintf(text, "<labels>");
    for (int i = 0; i < 20000; i++)
        at += sprintf(at, "<label name='%d'/>", i);
    sprintf(at, "<!-- don't --></labels>");
    expect(text, 20000, "19999");
    free(text);
}

static void deep_nesting_is_refused(void **state)
{
    enum { DEPTH = 5000 };
    static char text[DEPTH * 24 + 1];
    f0t_names labels = {0};
    char *end = text;
    (void)state;
    for (int i = 0; i < DEPTH; i++)
        end += sprintf(end, "<label name='%d'>", i);
    assert_int_equal(f0t_mulan_xml_read(&labels, text, (size_t)(end - text), "l.xml"),
                     F0T_ERROR_FORMAT);
    f0t_names_free(&labels);
}

static f0t_status load(const void *data, size_t size)
{
    f0t_names labels = {0};
    f0t_status status = f0t_mulan_xml_read(&labels, data, size, "l.xml");
    f0t_names_free(&labels);
    return status;
}

static const char valid[] = "<labels xmlns='x'><label name='a'/><label name='b'></label></labels>";

static void no_altered_or_cut_input_does_harm(void **state)
{
    (void)state;
    test_alter_everywhere(valid, sizeof valid - 1, load);
    test_cut_everywhere(valid, sizeof valid - 1, load, NULL);
}

static f0t_status load_valid(void *context)
{
    (void)context;
    return load(valid, sizeof valid - 1);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, load_valid, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_read_in_order),
        cmocka_unit_test(labels_inside_labels_are_labels_too),
        cmocka_unit_test(other_documents_are_refused),
        cmocka_unit_test(document_types_and_entities_are_refused),
        cmocka_unit_test(long_tags_are_refused_before_they_are_read),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(no_altered_or_cut_input_does_harm),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
