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

json::value to_json(std::string_view text) {
    return json::string_view(text.data(), text.size());
}

json::value bytes_value(const std::string& bytes) {
    if (table::is_utf8_without_nul(bytes)) return to_json(bytes);
    return json::object{{"base64", pki::to_base64(bytes)}};
}

// "1-100,107"
std::string to_ranges(const fleet::system_set& members) {
    std::string text;
    std::optional<std::pair<std::int64_t, std::int64_t>> span;
    const auto close = [&] {
        if (!span) return;
        if (!text.empty()) text += ',';
        text += std::to_string(span->first);
        if (span->second != span->first) text += '-' + std::to_string(span->second);
    };
    members.for_each([&](system_number system) {
        if (span && span->second + 1 == system.value()) {
            span->second = system.value();
            return;
        }
        close();
        span.emplace(system.value(), system.value());
    });
    close();
    return text;
}

json::value set_value(const std::string& bytes) {
    const auto members = fleet::system_set::parse(bytes);
    if (!members) return bytes_value(bytes);
    return to_json(to_ranges(*members));
}

// JSON documents become objects.
json::value text_value(const std::string& text) {
    if (!text.starts_with('{')) return to_json(text);
    json::error_code failure;
    auto parsed = json::parse(text, failure);
    if (failure) return to_json(text);
    return parsed;
}

struct cell_to_json {
    const std::string& column;

    json::value operator()(const table::null&) const { return nullptr; }
    json::value operator()(bool value) const { return value; }
    json::value operator()(std::int64_t value) const { return value; }
    json::value operator()(double value) const { return value; }
    json::value operator()(const std::string& value) const { return text_value(value); }
    json::value operator()(wall_time value) const {
        return to_json(iso_time(value, iso_precision::microseconds));
    }
    json::value operator()(const table::blob& value) const {
        if (column == "digest") return to_json(to_hex(value.content));
        if (column == "targets" || column == "canaries") return set_value(value.content);
        return bytes_value(value.content);
    }
};

void unpack_payload(json::object& line, const table::row& row) {
    const auto payload = jobs::decode_payload(row);
    if (!payload || payload->plain) return;
    const auto text = jobs::unpack(*payload);
    if (!text) return;  // keep the damaged content
    line.erase("content");
    line["plain"] = bytes_value(*text);
}

}  // namespace

std::string to_archive_line(const table::definition& definition, const table::row& row) {
    const auto columns = definition.readable();
    json::object line;
    for (std::size_t index = 0; index < columns.size() && index < row.size(); ++index) {
        if (std::holds_alternative<table::null>(row[index])) continue;
        const auto& name = columns[index].name;
        line[name] = std::visit(cell_to_json{name}, row[index]);
    }
    if (definition.name == jobs::payloads_table) unpack_payload(line, row);
    return json::serialize(line);
}

}  // namespace muster::retention
