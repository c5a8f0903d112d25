#include "api/xmlrpc/methods/user_preferences_record.h"

#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <optional>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;

std::string encode(const user_preferences_record& user_preferences) {
    if (user_preferences == user_preferences_record()) return {};
    return json::serialize(json::object{
        {"prefix", user_preferences.prefix},
        {"assigned_groups", runtime::stored_list(user_preferences.assigned_groups)},
        {"default_groups", runtime::stored_list(user_preferences.default_groups)}});
}

result<user_preferences_record> decode(const std::string& document) {
    TRY(auto all, runtime::json_record_reader::of("person", document));
    user_preferences_record read{
        .prefix = all.text("prefix"),
        .assigned_groups = all.list("assigned_groups"),
        .default_groups = all.list("default_groups")};
    return all.finish(std::move(read));
}

}  // namespace

user_preferences_record person_named(
    const configuration::config_record_store& config_record_store, const std::string& user) {
    const auto match = config_record_store.find(configuration::kinds::person, user);
    if (!match) return {};
    auto read = decode(match->document);
    return read ? *std::move(read) : user_preferences_record();
}

async<void> change_person(
    configuration::config_record_store& config_record_store,
    std::string user,
    std::string by,
    person_change person_change) {
    CO_CHECK_OK(co_await config_record_store.alter(
        {.kind = std::string(configuration::kinds::person),
         .name = std::move(user),
         .by = std::move(by)},
        [person_change = std::move(person_change)](
            const std::string* now) -> result<std::optional<std::string>> {
            user_preferences_record next;
            if (now != nullptr) {
                TRY(next, decode(*now));
            }
            person_change(next);
            return encode(next);
        }));
    co_return result<void>();
}

}  // namespace muster::xmlrpc_api
