#include "core/access/config_channel_access.h"

#include <doctest/doctest.h>

using namespace muster::access;

TEST_CASE("who looks at the whole cluster reaches every channel of a system") {
    CHECK(reaches(extent::cluster, subscription_source::itself));
    CHECK(reaches(extent::cluster, subscription_source::group_label));
    CHECK(reaches(extent::cluster, subscription_source::group_expression));
}

TEST_CASE("who looks at some zones reaches no channel by an expression, which anybody can fit") {
    CHECK(reaches(extent::zones, subscription_source::itself));
    CHECK(reaches(extent::zones, subscription_source::group_label));
    CHECK_FALSE(reaches(extent::zones, subscription_source::group_expression));
}

TEST_CASE("the label of a group with channels is given by who looks at the whole cluster") {
    CHECK(may_label(extent::cluster, group_content::channels));
    CHECK(may_label(extent::zones, group_content::none));
    CHECK_FALSE(may_label(extent::zones, group_content::channels));
}
