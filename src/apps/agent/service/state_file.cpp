#include "apps/agent/service/state_file.h"

#include "adapters/os/file.h"
#include "base/iso_time.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <fstream>

namespace muster::agent {

result<void> write_status(const std::filesystem::path& file, const agent_status& now) {
    boost::json::object document{
        {"fingerprint", now.fingerprint},
        {"name", now.name},
        {"state", now.state},
        {"node", now.node},
        {"since", iso_time(now.since, iso_precision::milliseconds)},
        {"last_error", now.last_error},
        {"round_trip", now.round_trip},
        {"version", MUSTER_VERSION}};
    if (now.next_attempt)
        document["next_attempt"] = iso_time(*now.next_attempt, iso_precision::milliseconds);
    auto beside = file;
    beside += ".new";
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out << boost::json::serialize(document) << '\n';
    out.close();
    std::error_code failure;
    if (out) std::filesystem::rename(beside, file, failure);
    if (!out || failure)
        return fail(errc::unavailable, fmt::format("cannot write {}", file.string()));
    return {};
}

result<std::string> read_status(const std::filesystem::path& file) {
    return os::load_file(file);
}

}  // namespace muster::agent
