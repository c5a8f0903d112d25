// Every operation of the API with arguments that are as its declaration wants them, made from the
// document, and with one that is just too long.

#include "tests/integration/openapi_fixture.h"

namespace muster::integration {
namespace {

// It ends the session that asks, or never ends.
bool is_left_out(const operation& operation) {
    const auto* const good = operation.what.at("responses").as_object().if_contains("200");
    const auto* const content =
        good == nullptr ? nullptr : good->as_object().if_contains("content");
    const bool streams = content != nullptr && content->as_object().contains("text/event-stream");
    return streams || operation.id == "me.logout";
}

enum class how_many { needed, all };

std::string query_for(const operation& operation, how_many desired) {
    std::string result;
    for (const auto& each : operation.what.at("parameters").as_array()) {
        const bool meant = desired == how_many::all || each.at("required").as_bool();
        if (each.at("in").as_string() != "query" || !meant) continue;
        const auto sample = good_for(each.at("schema").as_object());
        std::string text = json::serialize(sample);
        if (sample.is_string()) text = json::value_to<std::string>(sample);
        if (sample.is_array()) text.clear();
        result += (result.empty() ? "?" : "&") + json::value_to<std::string>(each.at("name")) + "="
                  + text;
    }
    return result;
}

json::object body_for(const operation& operation, how_many desired) {
    const auto* const schema = operation.body_schema();
    if (schema == nullptr) return {};
    auto result = good_for(*schema).as_object();
    if (desired == how_many::all)
        for (const auto& [name, of] : schema->at("properties").as_object())
            if (!result.contains(name)) result[name] = good_for(of.as_object());
    return result;
}

// As the check of arguments by their declaration puts it.
bool blames_kind(const std::string& answered) {
    return (answered.contains("expected ") && answered.contains(" got "))
           || answered.contains("`: required field is missing")
           || answered.contains("`: unknown field");
}

TEST_CASE("no operation fails, or finds its arguments wrong, that are as it declares them") {
    openapi_fixture api;
    for (const auto& operation : api.operations()) {
        if (is_left_out(operation)) continue;
        CAPTURE(operation.id);
        for (const auto desired : {how_many::needed, how_many::all}) {
            const auto body = body_for(operation, desired);
            const auto sent = body.empty() ? std::string() : json::serialize(body);
            CAPTURE(sent);
            const auto answered = api.send(operation, query_for(operation, desired), sent);
            CAPTURE(answered.body);
            CHECK(answered.status < 500);
            CHECK_FALSE(blames_kind(answered.body));
        }
    }
}

TEST_CASE("an argument that is longer than its operation takes is refused by its name") {
    openapi_fixture api;
    std::size_t refused = 0;
    for (const auto& operation : api.operations()) {
        const auto* const schema = operation.body_schema();
        if (schema == nullptr) continue;
        for (const auto& [name, of] : schema->at("properties").as_object()) {
            const auto* const most = of.as_object().if_contains("maxLength");
            if (most == nullptr) continue;
            auto body = body_for(operation, how_many::needed);
            body[name] = std::string(most->to_number<std::size_t>() + 1, 'x');
            CAPTURE(operation.id);
            CAPTURE(std::string(name));
            const auto answered = api.send(operation, "", json::serialize(body));
            CAPTURE(answered.body);
            const bool named =
                answered.status == 400 && answered.body.contains("`" + std::string(name) + "`");
            CHECK((named || answered.status == 413));
            ++refused;
        }
    }
    CHECK(refused > 50);
}

}  // namespace
}  // namespace muster::integration
