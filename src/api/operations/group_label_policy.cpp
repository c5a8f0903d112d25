#include "api/operations/group_label_policy.h"

#include "ports/deadline.h"

#include <fmt/format.h>

#include <utility>

namespace muster::api {

access::extent read_extent(const call& call) {
    const bool everywhere = call.caller().may.everywhere(access::right::fleet_read);
    return everywhere ? access::extent::cluster : access::extent::zones;
}

async<void> group_label_policy::check(call call, std::vector<std::string> groups) const {
    const auto extent = read_extent(call);
    for (const auto& group : groups) {
        if (access::may_label(extent, access::group_content::channels)) break;
        CO_TRY(const bool has_channels, co_await channels_.has_any(group));
        const auto content =
            has_channels ? access::group_content::channels : access::group_content::none;
        if (access::may_label(extent, content)) continue;
        co_return fail(
            errc::denied,
            fmt::format(
                "group \"{}\" has configuration channels; adding systems needs the right "
                "fleet.read in the whole cluster",
                group));
    }
    co_return result<void>();
}

}  // namespace muster::api
