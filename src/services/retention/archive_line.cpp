#include "services/retention/archive_line.h"

#include "adapters/pki/base64.h"
#include "base/hex.h"
#include "base/iso_time.h"
#include "core/fleet/system_set.h"
#include "core/table/utf8.h"
#include "services/jobs/job_tables.h"
#include "services/jobs/payload_text.h"

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace muster::retention {
namespace {

namespace json = boost::json;

json::value shown(std::string_view text) {
    return json::string_view(text.data(), text.size());
}

json::value bytes_value(const std::string& bytes) {
    if (table::is_utf8_without_nul(bytes)) return shown(bytes);
    return json::object{{"base64", pki::to_base64(bytes)}};
}

// "1-100,107"
std::string spans_of(const fleet::system_set& members) {
    std::string text;
    std::optional<std::pair<std::int64_t, std::int64_t>> span;
    const auto close = [&] {
        if (!span) return;
        if (!text.empty()) text += ',';
        text += std::to_string(span->first);
        if (span->second != span->first) text += '-' + std::to_string(span->second);
    };
    members.for_each([&](system_number system_number) {
        if (span && span->second + 1 == system_number.value()) {
            span->second = system_number.value();
            return;
        }
        close();
        span.emplace(system_number.value(), system_number.value());
    });
    close();
    return text;
}

json::value set_value(const std::string& bytes) {
    const auto members = fleet::system_set::parse(bytes);
    if (!members) return bytes_value(bytes);
    return shown(spans_of(*members));
}

// A document stands in the line as what it is.
json::value text_value(const std::string& text) {
    if (!text.starts_with('{')) return shown(text);
    json::error_code wrong;
    auto read = json::parse(text, wrong);
    if (wrong) return shown(text);
    return read;
}

struct cell_to_json {
    const std::string& column;

    json::value operator()(const table::null&) const { return nullptr; }
    json::value operator()(bool held) const { return held; }
    json::value operator()(std::int64_t held) const { return held; }
    json::value operator()(double held) const { return held; }
    json::value operator()(const std::string& held) const { return text_value(held); }
    json::value operator()(wall_time held) const {
        return shown(iso_time(held, iso_precision::microseconds));
    }
    json::value operator()(const table::blob& held) const {
        if (column == "digest") return shown(to_hex(held.content));
        if (column == "targets" || column == "canaries") return set_value(held.content);
        return bytes_value(held.content);
    }
};

void unpack_payload(json::object& line, const table::row& cells) {
    const auto payload = jobs::decode_payload(cells);
    if (!payload || payload->plain) return;
    const auto text = jobs::unpack(*payload);
    if (!text) return;  // as damaged as it is
    line.erase("content");
    line["plain"] = bytes_value(*text);
}

}  // namespace

std::string line_of(const table::definition& of, const table::row& cells) {
    const auto columns = of.readable();
    json::object line;
    for (std::size_t at = 0; at < columns.size() && at < cells.size(); ++at) {
        if (std::holds_alternative<table::null>(cells[at])) continue;
        const auto& name = columns[at].name;
        line[name] = std::visit(cell_to_json{name}, cells[at]);
    }
    if (of.name == jobs::payloads_table) unpack_payload(line, cells);
    return json::serialize(line);
}

}  // namespace muster::retention
