#include "api/xmlrpc/methods/user_preferences_record.h"

#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <optional>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;

std::string encode(const user_preferences_record& preferences) {
    if (preferences == user_preferences_record()) return {};
    return json::serialize(json::object{
        {"prefix", preferences.prefix},
        {"assigned_groups", runtime::stored_list(preferences.assigned_groups)},
        {"default_groups", runtime::stored_list(preferences.default_groups)}});
}

result<user_preferences_record> decode(const std::string& document) {
    TRY(auto reader, runtime::json_record_reader::parse("person", document));
    user_preferences_record record{
        .prefix = reader.text("prefix"),
        .assigned_groups = reader.list("assigned_groups"),
        .default_groups = reader.list("default_groups")};
    return reader.finish(std::move(record));
}

}  // namespace

user_preferences_record find_user_preferences(
    const configuration::config_record_store& store, const std::string& user) {
    const auto match = store.find(configuration::kinds::person, user);
    if (!match) return {};
    auto record = decode(match->document);
    return record ? *std::move(record) : user_preferences_record();
}

async<void> change_user_preferences(
    configuration::config_record_store& store,
    std::string user,
    std::string changed_by,
    preferences_change change) {
    CO_CHECK_OK(co_await store.alter(
        {.kind = std::string(configuration::kinds::person),
         .name = std::move(user),
         .by = std::move(changed_by)},
        [change =
             std::move(change)](const std::string* current) -> result<std::optional<std::string>> {
            user_preferences_record record;
            if (current != nullptr) {
                TRY(record, decode(*current));
            }
            change(record);
            return encode(record);
        }));
    co_return result<void>();
}

}  // namespace muster::xmlrpc_api
