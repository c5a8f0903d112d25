#include "apps/muster/cli/table.h"

#include <doctest/doctest.h>

namespace muster::cli {
namespace {

const std::vector<std::vector<std::string>> rows{
    {"NAME", "TAGS", "NOTE"},
    {"web1.acme.org", "web,production,frankfurt", "-"},
    {"db", "database", "a note that is much longer than the other cells"}};

TEST_CASE("columns are as wide as their longest cell if nothing limits the line") {
    CHECK(
        align_columns(rows, std::nullopt)
        == "NAME           TAGS                      NOTE\n"
           "web1.acme.org  web,production,frankfurt  -\n"
           "db             database                  a note that is much longer than the other "
           "cells\n");
}

TEST_CASE("the longest columns are shortened until the lines fit, the name of the row is not") {
    CHECK(
        align_columns(rows, 50)
        == "NAME           TAGS              NOTE\n"
           "web1.acme.org  web,production,…  -\n"
           "db             database          a note that is m…\n");
}

TEST_CASE("a name that takes more than half of the width is shortened") {
    const std::vector<std::vector<std::string>> long_name{{std::string(60, 'n'), "123456789"}};
    CHECK(align_columns(long_name, 40) == std::string(31, 'n') + "…  12345…\n");
}

TEST_CASE("letters of several bytes count as one character and are not cut") {
    CHECK(
        align_columns({{"Köln", "x"}, {"Aachen", "y"}}, std::nullopt) == "Köln    x\nAachen  y\n");
    CHECK(align_columns({{"a", "ööööööööö"}}, 9) == "a  ööööö…\n");
}

}  // namespace
}  // namespace muster::cli
