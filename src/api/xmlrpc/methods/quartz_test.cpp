#include "api/xmlrpc/methods/quartz.h"

#include "core/schedules/cron.h"

#include <doctest/doctest.h>

namespace muster::xmlrpc_api {
namespace {

TEST_CASE("an expression with seconds is read as cron has it, and told back as it was") {
    struct pair {
        const char* quartz;
        const char* cron;
    };
    for (const auto& [quartz, cron] : {
             pair{"0 30 2 ? * 1", "30 2 * * 0"},
             pair{"0 0 3 ? * 2-6", "0 3 * * 1-5"},
             pair{"0 15 4 1,15 * ?", "15 4 1,15 * *"},
             pair{"0 0 0 * * ?", "0 0 * * *"},
             pair{"0 0 12 ? * SUN,WED", "0 12 * * SUN,WED"},
             pair{"0 */5 * * JUL ?", "*/5 * * JUL *"},
         }) {
        CHECK(quartz_to_cron(quartz).value() == cron);
        CHECK(cron_to_quartz(cron) == quartz);
        CHECK(schedules::cron::parse(cron).has_value());
    }
    CHECK(quartz_to_cron("0 5/15 * * * ?").value() == "5-59/15 * * * *");
    CHECK(quartz_to_cron("0 0 0 ? * 2/2").value() == "0 0 * * 1-6/2");
    CHECK(quartz_to_cron("0 0 0 1 1 ? *").value() == "0 0 1 1 *");
    CHECK(quartz_to_cron("30 2 * * 0").value() == "30 2 * * 0");
    CHECK(cron_to_quartz("0 0 * * 7") == "0 0 0 ? * 1");
}

TEST_CASE("what cron cannot say is refused with the field") {
    for (const char* const wrong :
         {"",
          "0 0 0",
          "30 0 0 * * ?",
          "0 0 0 L * ?",
          "0 0 0 ? * 6#3",
          "0 0 0 15W * ?",
          "0 0 0 1 1 ? 2027"}) {
        const auto read = quartz_to_cron(wrong);
        CHECK(!read.has_value());
        if (!read) CHECK(read.error().detail().contains("`cron_expr`"));
    }
    CHECK(!quartz_to_cron(std::string(300, '0')).has_value());
    // What is neither is left to cron's own reader.
    const auto odd = quartz_to_cron("0 a-b 0 * * ?");
    CHECK(!schedules::cron::parse(odd.value()).has_value());
}

}  // namespace
}  // namespace muster::xmlrpc_api
