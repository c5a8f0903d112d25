#include "apps/muster/cli/calendar_view.h"

#include "adapters/os/time_zone_database.h"

#include <doctest/doctest.h>

#include <vector>

namespace muster::cli {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

// 22 to 2 o'clock in Berlin on the 16th, a day and a half from the 20th on.
const std::vector<windows::window> some{
    {sys_days(2026y / 11 / 16) + 21h, sys_days(2026y / 11 / 17) + 1h},
    {sys_days(2026y / 11 / 20) + 11h, sys_days(2026y / 11 / 21) + 23h}};

calendar_page page_of() {
    os::time_zone_database zones;
    return {
        .windows = some,
        .zone = zones.find("Europe/Berlin").value(),
        .now = sys_days(2026y / 11 / 18) + 12h};
}

TEST_CASE("a month marks the days with windows and lists these in local time") {
    CHECK(
        month_view(page_of(), 2026y / November)
        == "November 2026, Europe/Berlin\n"
           "  Mon   Tue   Wed   Thu   Fri   Sat   Sun \n"
           "                                       1  \n"
           "   2     3     4     5     6     7     8  \n"
           "   9    10    11    12    13    14    15  \n"
           "  16*   17+  [18 ]  19    20*   21+   22  \n"
           "  23    24    25    26    27    28    29  \n"
           "  30  \n"
           "\n"
           " 16 Mon  22:00-02:00 (+1)\n"
           " 20 Fri  12:00-00:00 (+2)\n");
    CHECK(month_view(page_of(), 2026y / December).ends_with("no windows in this month\n"));
}

TEST_CASE("a week has a line of half hours for each day") {
    CHECK(
        week_view(page_of(), local_days(2026y / 11 / 18))
        == "November 2026, Europe/Berlin\n"
           "        0     3     6     9     12    15    18    21    \n"
           "Mon 16  ............................................####\n"
           "Tue 17  ####............................................\n"
           "Wed 18< ................................................\n"
           "Thu 19  ................................................\n"
           "Fri 20  ........................########################\n"
           "Sat 21  ################################################\n"
           "Sun 22  ................................................\n");
}

}  // namespace
}  // namespace muster::cli
