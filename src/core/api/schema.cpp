#include "core/api/shape.h"

namespace muster::api {
namespace {

using kind = shape::kind;
using record = value::record;

std::string_view type_name(kind what) {
    switch (what) {
        case kind::anything:
            return "";
        case kind::flag:
            return "boolean";
        case kind::integer:
            return "integer";
        case kind::number:
            return "number";
        case kind::text:
        case kind::time:
        case kind::bytes:
            return "string";
        case kind::list:
            return "array";
        case kind::map:
        case kind::record:
            break;
    }
    return "object";
}

constexpr auto no_limit = std::numeric_limits<std::int64_t>::max();

void add_bounds(record& record, const shape& shape, std::string_view least, std::string_view most) {
    if (shape.least() != 0) record.push_back({std::string(least), shape.least()});
    if (shape.most() != no_limit) record.push_back({std::string(most), shape.most()});
}

void add_members(record& result, const shape& shape) {
    record properties;
    value::list needed;
    for (const auto& member : shape.members()) {
        properties.push_back({member.name, schema_of(member.of)});
        if (member.required) needed.emplace_back(member.name);
    }
    result.push_back({"properties", std::move(properties)});
    if (!needed.empty()) result.push_back({"required", std::move(needed)});
    result.push_back({"additionalProperties", false});
}

void add_content(record& record, const shape& shape) {
    switch (shape.what()) {
        case kind::integer:
            record.push_back({"minimum", shape.least()});
            if (shape.most() != no_limit) record.push_back({"maximum", shape.most()});
            break;
        case kind::text:
            add_bounds(record, shape, "minLength", "maxLength");
            break;
        case kind::time:
            record.push_back({"format", "date-time"});
            break;
        case kind::bytes:
            record.push_back({"contentEncoding", "base64"});
            break;
        case kind::list:
            add_bounds(record, shape, "minItems", "maxItems");
            record.push_back({"items", schema_of(shape.element())});
            break;
        case kind::map:
            add_bounds(record, shape, "minProperties", "maxProperties");
            record.push_back({"additionalProperties", schema_of(shape.element())});
            break;
        case kind::record:
            add_members(record, shape);
            break;
        default:
            break;
    }
}

}  // namespace

value schema_of(const shape& shape) {
    record record;
    const std::string type(type_name(shape.what()));
    if (!type.empty() && shape.may_be_nothing()) {
        record.push_back({"type", value::list{type, "null"}});
    } else if (!type.empty()) {
        record.push_back({"type", type});
    }
    if (!shape.about().empty()) record.push_back({"description", shape.about()});
    if (!shape.choices().empty())
        record.push_back({"enum", value::list(shape.choices().begin(), shape.choices().end())});
    add_content(record, shape);
    return record;
}

}  // namespace muster::api
