#include "apps/agent/service/state_file.h"

#include "adapters/os/file.h"
#include "base/iso_time.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <fstream>

namespace muster::agent {

result<void> write_status(const std::filesystem::path& file, const agent_status& status) {
    boost::json::object document{
        {"fingerprint", status.fingerprint},
        {"name", status.name},
        {"state", status.state},
        {"node", status.node},
        {"since", iso_time(status.since, iso_precision::milliseconds)},
        {"last_error", status.last_error},
        {"round_trip", status.round_trip},
        {"version", MUSTER_VERSION}};
    if (status.next_attempt)
        document["next_attempt"] = iso_time(*status.next_attempt, iso_precision::milliseconds);
    auto temporary = file;
    temporary += ".new";
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream << boost::json::serialize(document) << '\n';
    stream.close();
    std::error_code failure;
    if (stream) std::filesystem::rename(temporary, file, failure);
    if (!stream || failure)
        return fail(errc::unavailable, fmt::format("cannot write {}", file.string()));
    return {};
}

result<std::string> read_status(const std::filesystem::path& file) {
    return os::load_file(file);
}

}  // namespace muster::agent
