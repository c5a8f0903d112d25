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

void add_bounds(record& made, const shape& what, std::string_view least, std::string_view most) {
    if (what.least() != 0) made.push_back({std::string(least), what.least()});
    if (what.most() != no_limit) made.push_back({std::string(most), what.most()});
}

void add_members(record& made, const shape& what) {
    record properties;
    value::list needed;
    for (const auto& each : what.members()) {
        properties.push_back({each.name, schema_of(each.of)});
        if (each.required) needed.emplace_back(each.name);
    }
    made.push_back({"properties", std::move(properties)});
    if (!needed.empty()) made.push_back({"required", std::move(needed)});
    made.push_back({"additionalProperties", false});
}

void add_content(record& made, const shape& what) {
    switch (what.what()) {
        case kind::integer:
            made.push_back({"minimum", what.least()});
            if (what.most() != no_limit) made.push_back({"maximum", what.most()});
            break;
        case kind::text:
            add_bounds(made, what, "minLength", "maxLength");
            break;
        case kind::time:
            made.push_back({"format", "date-time"});
            break;
        case kind::bytes:
            made.push_back({"contentEncoding", "base64"});
            break;
        case kind::list:
            add_bounds(made, what, "minItems", "maxItems");
            made.push_back({"items", schema_of(what.element())});
            break;
        case kind::map:
            add_bounds(made, what, "minProperties", "maxProperties");
            made.push_back({"additionalProperties", schema_of(what.element())});
            break;
        case kind::record:
            add_members(made, what);
            break;
        default:
            break;
    }
}

}  // namespace

value schema_of(const shape& what) {
    record made;
    const std::string type(type_name(what.what()));
    if (!type.empty() && what.may_be_nothing()) {
        made.push_back({"type", value::list{type, "null"}});
    } else if (!type.empty()) {
        made.push_back({"type", type});
    }
    if (!what.about().empty()) made.push_back({"description", what.about()});
    if (!what.choices().empty())
        made.push_back({"enum", value::list(what.choices().begin(), what.choices().end())});
    add_content(made, what);
    return made;
}

}  // namespace muster::api
