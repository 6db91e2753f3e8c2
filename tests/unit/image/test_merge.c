/* What a merge makes of packets as people and programs have them, and that there is a way back. */
#include "one_worker.h"
#include "pictures.h"

#define RDF                                                                                      \
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "                                              \
    "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "     \
    "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:lr='http://ns.adobe.com/lightroom/1.0/' " \
    "xmlns:digiKam='http://www.digikam.org/ns/1.0/' xmlns:xmp='http://ns.adobe.com/xap/1.0/' "   \
    "xmlns:MicrosoftPhoto='http://ns.microsoft.com/photo/1.0/'>"
#define END "</rdf:Description></rdf:RDF></x:xmpmeta>"
#define BAG(name, items) "<" name "><rdf:Bag>" items "</rdf:Bag></" name ">"
#define LI(word) "<rdf:li>" word "</rdf:li>"

/* The text that a packet becomes, freed with free(); NULL where it stays as it is. */
static char *merge(const char *packet, const char *lines)
{
    f0t_xmp_merged merged;
    assert_ok(
        f0t_worker_embed(&merged, worker, "p.jpg", lines, packet, packet ? strlen(packet) : 0));
    return merged.changed ? strndup(merged.text, merged.length) : NULL;
}

/* Its keywords, as lines of source and keyword. */
static const char *keywords(const char *packet)
{
    const char *text;
    size_t length;
    assert_ok(f0t_worker_keywords(&text, &length, worker, test_text("k.xmp", packet)));
    return text;
}

static void assert_merged(const char *packet, const char *lines, const char *want)
{
    char *text = merge(packet, lines);
    assert_non_null(text);
    assert_string_equal(keywords(text), want);
    assert_null(merge(text, lines)); /* the same again changes nothing */
    free(text);
}

/* There are programs that read one list alone: it must not hide what the person has elsewhere. */
static void lists_that_are_made_take_up_the_persons_keywords(void **state)
{
    (void)state;
    assert_merged(NULL, "+dog\n=K\xC3\xB6ln\n=Places|Rome\n=Rome\n",
                  "carried\tK\xC3\xB6ln\ncarried\tRome\nours\tdog\n"
                  "carried\tK\xC3\xB6ln\ncarried\tPlaces|Rome\nours\tdog\n"
                  "carried\tK\xC3\xB6ln\ncarried\tPlaces|Rome\nours\tdog\n");
    assert_merged(RDF BAG("dc:subject", LI("sea")) END, "+dog\n=sea\n=boat\n",
                  "xmp\tsea\nours\tdog\ncarried\tsea\ncarried\tboat\nours\tdog\n"
                  "carried\tsea\ncarried\tboat\nours\tdog\n");
    char *text = merge(RDF BAG("lr:hierarchicalSubject", LI("Places|Rome")) END, "+dog\n");
    assert_non_null(strstr(text, "Places/Rome"));
    free(text);
}

/* Nothing is made for a picture that has all the tags. */
static void a_word_is_written_once_whatever_its_path_and_spelling(void **state)
{
    static const char woman[] = RDF BAG("lr:hierarchicalSubject", LI("People|Woman")) END;
    (void)state;
    assert_null(merge(woman, "+woman\n"));
    assert_null(merge(woman, "+Other|WOMAN\n"));
    assert_null(merge(RDF BAG("dc:subject", LI("\xC3\x84pfel")) END, "+a\xCC\x88pfel\n"));
    assert_null(merge(RDF BAG("dc:subject", LI("People|woman")) END, "+woman\n"));
    assert_null(merge(RDF "<digiKam:TagsList><rdf:Seq>" LI("Bands/AC|DC") "</rdf:Seq>"
                                                                          "</digiKam:TagsList>" END,
                      "+AC/DC\n"));
    assert_null(merge(NULL, "+dog\n=Dog\n"));
}

static void a_path_is_written_as_each_list_has_it(void **state)
{
    char *text;
    (void)state;
    assert_merged(NULL, "+People|woman\n", "ours\twoman\nours\tPeople|woman\nours\tPeople|woman\n");
    text = merge(NULL, "+People|woman\n");
    assert_non_null(strstr(text, "<rdf:li>People/woman</rdf:li>"));
    free(text);
    /* The person's own path comes before that of the model. */
    assert_merged(RDF BAG("lr:hierarchicalSubject", LI("Sea")) END,
                  "+People|woman\n+dog\n=Family|Woman\n",
                  "ours\tWoman\ncarried\tSea\nours\tdog\n"
                  "hierarchy\tSea\nours\tFamily|Woman\nours\tdog\n"
                  "ours\tFamily|Woman\ncarried\tSea\nours\tdog\n");
}

/* As Windows and digiKam leave it: one path in several lists, with slashes also in that of words. */
#define WINDOWS                                                                                   \
    RDF BAG("dc:subject", LI("Orte/Europa/Paris") LI("Hund"))                                     \
        BAG("MicrosoftPhoto:LastKeywordXMP", LI("Orte/Europa/Paris") LI("Tiere/Hund") LI("Meer")) \
            END

static void slashed_paths_are_words_that_the_person_has(void **state)
{
    (void)state;
    assert_null(merge(WINDOWS, "+Paris\n+hund\n+Meer\n"));
    assert_merged(WINDOWS, "+Boot\n=Orte|Europa|Paris\n",
                  "xmp\tOrte/Europa/Paris\nxmp\tHund\nours\tBoot\n"
                  "carried\tOrte|Europa|Paris\ncarried\tTiere|Hund\ncarried\tMeer\nours\tBoot\n"
                  "carried\tOrte|Europa|Paris\ncarried\tTiere|Hund\ncarried\tMeer\nours\tBoot\n"
                  "microsoft\tOrte|Europa|Paris\nmicrosoft\tTiere|Hund\nmicrosoft\tMeer\n");
}

/* A path whose last part has slashes of its own is one word, in whichever list it stands. */
static void a_last_part_with_slashes_is_one_word(void **state)
{
    (void)state;
    assert_merged(RDF BAG("lr:hierarchicalSubject", LI("Places|a/b/c")) END, "+dog\n",
                  "carried\tc\nours\tdog\nhierarchy\tPlaces|a/b/c\nours\tdog\n"
                  "carried\tPlaces|a/b/c\nours\tdog\n");
}

/* As Lightroom writes them: every containing keyword in the list of words, the whole path in the other. */
static void lightrooms_lists_stay_as_they_are(void **state)
{
    static const char lightroom[] = RDF BAG("dc:subject", LI("Europe") LI("Paris") LI("Places"))
        BAG("lr:hierarchicalSubject", LI("Places|Europe|Paris") LI("Who|Anna &amp; Bo")) END;
    char *text = merge(lightroom, "+People|woman\n+Europe\n");
    char *back = merge(text, "-\n");
    (void)state;
    assert_non_null(strstr(text, LI("Places|Europe|Paris") LI("Who|Anna &amp; Bo")));
    assert_string_equal(
        keywords(text),
        "xmp\tEurope\nxmp\tParis\nxmp\tPlaces\nours\twoman\nhierarchy\tPlaces|Europe|Paris\n"
        "hierarchy\tWho|Anna & Bo\nours\tPeople|woman\ncarried\tEurope\n"
        "carried\tPlaces\ncarried\tPlaces|Europe|Paris\ncarried\tWho|Anna & Bo\n"
        "ours\tPeople|woman\n");
    assert_string_equal(keywords(back), "xmp\tEurope\nxmp\tParis\nxmp\tPlaces\n"
                                        "hierarchy\tPlaces|Europe|Paris\n"
                                        "hierarchy\tWho|Anna & Bo\n");
    free(back);
    free(text);
}

/* What digiKam copies from our list into another is no keyword of a person. */
static void copies_of_our_tags_are_ours(void **state)
{
    static const char copied[] =
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
        "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "
        "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:f0t='urn:fast0tag:xmp:1.0/' "
        "xmlns:MicrosoftPhoto='http://ns.microsoft.com/photo/1.0/'>" BAG("dc:subject",
                                                                         LI("sea") LI("dog"))
            BAG("f0t:subject", LI("dog")) BAG("f0t:tags", LI("dog"))
                BAG("MicrosoftPhoto:LastKeywordXMP", LI("sea") LI("Tiere/dog")) END;
    (void)state;
    assert_string_equal(keywords(copied), "xmp\tsea\nours\tdog\nmicrosoft\tsea\nours\tTiere|dog\n");
}

/* ---- What is not ours stays ------------------------------------------------------------------------- */

static const char rich[] =
    "<?xpacket begin='\xEF\xBB\xBF' id='W5M0MpCehiHzreSzNTczkc9d'?>\n"
    "<!-- mine -->\n" RDF "<dc:subject><rdf:Bag><!-- first --><rdf:li xml:lang='de'>Hund</rdf:li>"
    "<rdf:li rdf:parseType='Resource'><rdf:value>See</rdf:value><xmp:Label>q</xmp:Label></rdf:li>"
    "</rdf:Bag></dc:subject><xmp:Rating>4</xmp:Rating>"
    "<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>A &amp; B</rdf:li></rdf:Alt></dc:title>"
    "</rdf:Description></rdf:RDF><own:data xmlns:own='http://example.org/\"own/' a='1'>foreign"
    "</own:data></x:xmpmeta>\n<?other thing?>\n<?xpacket end='w'?>";

static void comments_languages_and_foreign_elements_stay(void **state)
{
    static const char *const kept[] = {"<!-- mine -->",
                                       "<!-- first --><rdf:li xml:lang=\"de\">Hund</rdf:li>",
                                       "<?other thing?>",
                                       "<rdf:value>See</rdf:value>",
                                       "<xmp:Label>q</xmp:Label>",
                                       "foreign</own:data>",
                                       "A &amp; B"};
    char *text = merge(rich, "+boat\n");
    (void)state;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (!strstr(text, kept[i]))
            fail_msg("'%s' is lost: %s", kept[i], text);
    assert_string_equal(keywords(text), "xmp\tHund\nxmp\tSee\nours\tboat\n"
                                        "carried\tHund\ncarried\tSee\nours\tboat\n"
                                        "carried\tHund\ncarried\tSee\nours\tboat\n");
    assert_null(merge(text, "+boat\n+hund\n+See\n"));
    free(text);
}

/* Forms that XMP allows besides the usual one. */
static void single_values_become_lists(void **state)
{
    (void)state;
    assert_merged(RDF "<dc:subject>sea</dc:subject>" END, "+dog\n",
                  "xmp\tsea\nours\tdog\ncarried\tsea\nours\tdog\ncarried\tsea\nours\tdog\n");
    assert_merged("<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
                  "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
                  "rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/' dc:subject='sea'/>"
                  "</rdf:RDF></x:xmpmeta>",
                  "+dog\n",
                  "xmp\tsea\nours\tdog\ncarried\tsea\nours\tdog\ncarried\tsea\nours\tdog\n");
}

/* Prefixes are anybody's choice. */
static void other_prefixes_do_not_matter(void **state)
{
    (void)state;
    assert_merged("<xmpmeta xmlns='adobe:ns:meta/'><r:RDF "
                  "xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><r:Description r:about='' "
                  "xmlns:digiKam='http://example.org/other/' digiKam:stars='4' "
                  "xmlns:k='http://purl.org/dc/elements/1.1/'><k:subject><r:Bag><r:li>sea</r:li>"
                  "</r:Bag></k:subject></r:Description></r:RDF></xmpmeta>",
                  "+dog\n",
                  "xmp\tsea\nours\tdog\ncarried\tsea\nours\tdog\ncarried\tsea\nours\tdog\n");
}

/* ---- Untagging -------------------------------------------------------------------------------------- */

static void untagged_is_as_before(void **state)
{
    static const char *const packets[] = {rich, RDF BAG("dc:subject", LI("sea") LI("dog")) END,
                                          RDF BAG("lr:hierarchicalSubject", LI("People|woman")) END,
                                          RDF END, RDF "<xmp:Rating>4</xmp:Rating>" END};
    (void)state;
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        char before[400];
        snprintf(before, sizeof before, "%s", keywords(packets[i]));
        char *tagged = merge(packets[i], "+dog\n+People|woman\n+boat\n=Places|Rome\n");
        char *back = merge(tagged, "-\n=Places|Rome\n");
        assert_non_null(back);
        assert_string_equal(keywords(back), before);
        assert_null(strstr(back, "fast0tag"));
        assert_null(merge(back, "-\n"));
        free(tagged);
        free(back);
    }
}

static void what_we_made_alone_is_gone_and_nothing_else(void **state)
{
    char *text = merge(NULL, "+dog\n=sea\n"), *back = merge(text, "-\n=sea\n");
    (void)state;
    assert_string_equal(back, "");
    free(back);
    /* A rating that came later, a comment. */
    char *end = strstr(text, "</rdf:Description>"), rated[8000];
    snprintf(rated, sizeof rated,
             "%.*s<x:Rating xmlns:x='http://ns.adobe.com/xap/1.0/'>4</x:Rating>%s",
             (int)(end - text), text, end);
    back = merge(rated, "-\n=sea\n");
    assert_non_null(strstr(back, "Rating"));
    assert_string_equal(keywords(back), "");
    free(back);
    snprintf(rated, sizeof rated, "%.*s<!-- note -->%s", (int)(end - text), text, end);
    back = merge(rated, "-\n=sea\n");
    assert_non_null(strstr(back, "<!-- note -->"));
    free(back);
    free(text);
}

/* In the text, each `from` becomes `to`. */
static char *replace(const char *text, const char *from, const char *to)
{
    char *out = calloc(strlen(text) + 2000, 1), *at = out;
    for (const char *next; (next = strstr(text, from)); text = next + strlen(from))
        at += sprintf(at, "%.*s%s", (int)(next - text), text, to);
    strcpy(at, text);
    return out;
}

/* A list that a person has used since is the person's, with what we carried over to it. */
static void what_came_later_stays(void **state)
{
    char *text = merge(NULL, "+dog\n=sea\n");
    char *used = replace(text, "<digiKam:TagsList>\n    <rdf:Seq>",
                         "<digiKam:TagsList>\n    <rdf:Seq><rdf:li>boat</rdf:li>");
    (void)state;
    assert_string_equal(keywords(used), "carried\tsea\nours\tdog\ncarried\tsea\nours\tdog\n"
                                        "digikam\tboat\ndigikam\tsea\nours\tdog\n");
    char *back = merge(used, "-\n=sea\n");
    assert_string_equal(keywords(back), "digikam\tboat\ndigikam\tsea\n");
    free(back);
    free(used);
    /* The last copy of a keyword is not ours to remove. */
    back = merge(text, "-\n");
    assert_string_equal(keywords(back), "xmp\tsea\nhierarchy\tsea\ndigikam\tsea\n");
    free(back);
    free(text);
}

/* From whichever list a word was taken: it was not wanted. */
static void what_was_taken_away_stays_away(void **state)
{
    char *text = merge(NULL, "+dog\n+cat\n=sea\n");
    char *less = replace(text, "<rdf:li>cat</rdf:li>\n    </rdf:Seq>", "</rdf:Seq>");
    char *again = merge(less, "+dog\n+cat\n=sea\n");
    (void)state;
    assert_non_null(strstr(keywords(less), "removed\tcat\n"));
    assert_non_null(strstr(keywords(again), "removed\tcat\n"));
    assert_null(strstr(keywords(again), "ours\tcat\n"));
    assert_non_null(strstr(keywords(again), "sea"));
    assert_null(merge(again, "+dog\n+cat\n=sea\n"));
    char *back = merge(again, "+dog\n!cat\n=sea\n"); /* unless somebody wants it again */
    assert_non_null(strstr(keywords(back), "ours\tcat\n"));
    assert_null(strstr(keywords(back), "removed"));
    free(back);
    free(again);
    free(less);
    free(text);
}

/* Sidecars of versions that named their tags alone. */
static void older_sidecars_are_understood(void **state)
{
    static const char old[] =
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
        "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "
        "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:f0t='urn:fast0tag:xmp:1.0/'>" BAG(
            "dc:subject", LI("sea") LI("dog") LI("cat")) BAG("f0t:tags", LI("dog") LI("cat")) END;
    (void)state;
    char *back = merge(old, "-\n");
    assert_string_equal(keywords(back), "xmp\tsea\n");
    free(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_that_are_made_take_up_the_persons_keywords),
        cmocka_unit_test(a_word_is_written_once_whatever_its_path_and_spelling),
        cmocka_unit_test(a_path_is_written_as_each_list_has_it),
        cmocka_unit_test(slashed_paths_are_words_that_the_person_has),
        cmocka_unit_test(a_last_part_with_slashes_is_one_word),
        cmocka_unit_test(lightrooms_lists_stay_as_they_are),
        cmocka_unit_test(copies_of_our_tags_are_ours),
        cmocka_unit_test(comments_languages_and_foreign_elements_stay),
        cmocka_unit_test(single_values_become_lists),
        cmocka_unit_test(other_prefixes_do_not_matter),
        cmocka_unit_test(untagged_is_as_before),
        cmocka_unit_test(what_we_made_alone_is_gone_and_nothing_else),
        cmocka_unit_test(what_came_later_stays),
        cmocka_unit_test(what_was_taken_away_stays_away),
        cmocka_unit_test(older_sidecars_are_understood),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
