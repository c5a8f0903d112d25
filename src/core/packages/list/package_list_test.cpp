#include "core/packages/list/package_list.h"

#include <doctest/doctest.h>

namespace muster::packages {
namespace {

TEST_CASE("editions are read from how they are written, and written the same") {
    for (const char* const text : {"1.0", "1.0-1", "2:1.0-1", "1.0-1-2", "1:2:3-4"})
        CHECK(to_string(parse_edition(text)) == text);
    CHECK(parse_edition("0:1.0-1").epoch.empty());
    CHECK(parse_edition("1.0-1-2").release == "2");
}

TEST_CASE("a list has one spelling, whatever the order in which it was told") {
    const auto one = parse_told(
        family::rpm, "b\t(none)\t1\t1\tnoarch\na\t2\t1\t1\tx86_64\nb\t0\t1\t1\tnoarch\n");
    const auto other =
        parse_told(family::rpm, "a\t2\t1\t1\tx86_64\nb\t0\t1\t1\tnoarch\ngpg-pubkey\t1\t1\t1\tn\n");
    REQUIRE(one.has_value());
    REQUIRE(other.has_value());
    CHECK(to_text(*one) == to_text(*other));
    CHECK(to_text(*one) == "packages rpm\na\t2\t1\t1\tx86_64\nb\t\t1\t1\tnoarch\n");
    CHECK(parse_list(to_text(*one)).value() == *one);
}

TEST_CASE("of Debian's packages those count that are installed, held ones too") {
    const auto list = parse_told(
        family::deb,
        "ii \tadduser\t3.134\tall\nrc \tgone\t1-1\tamd64\nhi \theld\t1:2-3\tamd64\n"
        "iU \thalf\t1\tamd64\n");
    REQUIRE(list.has_value());
    REQUIRE(list->all.size() == 2);
    CHECK(list->all[1].at == edition{.epoch = "1", .version = "2", .release = "3"});
}

TEST_CASE("what is no list is refused with its line") {
    const std::string head = "packages deb\n";
    for (const std::string& text :
         {std::string(),
          std::string("packages"),
          std::string("packages sun\n"),
          head + "a\t\t1\t1\tall",
          head + "a\t\t1\t1\n",
          head + "b\t\t1\t1\tall\na\t\t1\t1\tall\n",
          head + "a\t\t1\t1\tall\na\t\t1\t1\tall\n",
          head + "-a\t\t1\t1\tall\n",
          head + "a b\t\t1\t1\tall\n",
          head + "a\tx\t1\t1\tall\n",
          head + "a\t\t\t1\tall\n",
          head + "a;rm\t\t1\t1\tall\n",
          head + std::string(300, 'a') + "\t\t1\t1\tall\n"}) {
        CAPTURE(text);
        const auto read = parse_list(text);
        REQUIRE(!read.has_value());
        CHECK(read.error().code() == errc::invalid);
    }
    CHECK(parse_list(head + "-a\t\t1\t1\tall\n").error().detail().contains("line 2"));
    CHECK(!parse_told(family::deb, "ii\ta\t1\n").has_value());
    CHECK(!parse_list(std::string(list_limits::bytes_max + 1, 'a')).has_value());
}

}  // namespace
}  // namespace muster::packages
