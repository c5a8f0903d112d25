#include "api/xmlrpc/methods/activation_key_methods.h"

#include "adapters/os/random.h"
#include "api/agent/enrol_request.h"
#include "api/xmlrpc/methods/activation_key_format.h"
#include "api/xmlrpc/methods/entitlements.h"
#include "base/hex.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using api::engine_timeout;
using fleet::stored_rule;

constexpr const char* prefix = "1-";  // of organisation 1, which owns all keys
constexpr std::size_t key_bytes = 16;
constexpr std::size_t name_bytes = 12;  // independent of the key: names are not secret

std::string full_key(const std::string& requested) {
    if (requested.empty()) return prefix + to_hex(os::random_bytes(key_bytes));
    return requested.starts_with(prefix) ? requested : prefix + requested;
}

std::string base_channel(const std::string& label) {
    return label == "none" ? std::string() : label;
}

}  // namespace

result<stored_rule> activation_key_methods::find(const std::string& key) const {
    const auto rules = deps_.rules.current();
    const auto it = std::ranges::find_if(*rules, [&](const fleet::accept_rule_store::rule& rule) {
        return rule.stored.as_key && rule.stored.as_key->key == key;
    });
    if (it == rules->end()) return fail(errc::not_found, "activation key not found");
    return it->stored;
}

async<value> activation_key_methods::activation_key_value(stored_rule rule) const {
    auto allocation =
        deps_.numbers.number_all(std::string(compatibility::numbered::group), rule.groups);
    CO_TRY(const auto groups, co_await within(deps_.clock, engine_timeout, std::move(allocation)));
    value::list numbers;
    for (const auto& group : groups) numbers.emplace_back(group.number);
    co_return to_value(rule, std::move(numbers));
}

async<method_response> activation_key_methods::list(call /*call*/) {
    value::list list;
    const auto rules = deps_.rules.current();
    for (const auto& rule : *rules) {
        if (!rule.stored.as_key) continue;
        CO_TRY(auto item, co_await activation_key_value(rule.stored));
        list.push_back(std::move(item));
    }
    co_return method_response{std::move(list)};
}

async<method_response> activation_key_methods::get_details(call call) {
    CO_TRY(auto match, find(call.text("key")));
    CO_TRY(auto output, co_await activation_key_value(std::move(match)));
    co_return method_response{std::move(output)};
}

async<method_response> activation_key_methods::create(call call) {
    fleet::activation key{.key = full_key(call.text("key"))};
    call.set_subject(call.text("description"));  // the audit trail must not have the key
    stored_rule rule;
    rule.key_digest = api::secret_digest(key.key);
    rule.name = "key-" + to_hex(os::random_bytes(name_bytes));
    rule.zone = std::string(cluster::default_zone);
    rule.made_by = call.caller().user;
    rule.made = deps_.clock.wall();
    key.description = call.text("description");
    if (key.description.empty()) key.description = "None";
    key.base_channel = base_channel(call.text("baseChannelLabel"));
    key.entitlements = merge_entitlements({}, read_labels(call, "entitlements"));
    key.universal_default = read_flag(call, "universalDefault");
    const bool limited = call.operation().takes.size() > 5;
    if (limited && call.integer("usageLimit") > 0) key.usage_limit = call.integer("usageLimit");
    const bool is_default = key.universal_default;
    const auto result = key.key;
    rule.as_key = std::move(key);
    auto work = deps_.rules.add(std::move(rule));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    call.set_partly_done();
    if (is_default) {
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, clear_other_defaults(result)));
    }
    co_return method_response{result};
}

// At most one key is the default: a new default replaces the old one.
async<void> activation_key_methods::clear_other_defaults(std::string key) {
    const auto rules = deps_.rules.current();
    for (const auto& rule : *rules) {
        const bool other = rule.stored.as_key && rule.stored.as_key->universal_default
                           && rule.stored.as_key->key != key;
        if (!other) continue;
        CO_CHECK_OK(co_await deps_.rules.change(
            rule.stored.name, [](stored_rule& changed_rule) -> result<void> {
                if (changed_rule.as_key) changed_rule.as_key->universal_default = false;
                return {};
            }));
    }
    co_return result<void>();
}

async<method_response> activation_key_methods::change(
    call call, fleet::accept_rule_store::update_function alteration) {
    CO_TRY(const auto match, find(call.text("key")));
    call.set_subject(match.as_key->description);
    auto work = deps_.rules.change(
        match.name,
        [alteration = std::move(alteration)](stored_rule& changed_rule) -> result<void> {
            if (!changed_rule.as_key) return fail(errc::not_found, "activation key not found");
            return alteration(changed_rule);
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> activation_key_methods::set_details(call call) {
    struct_reader reader(call, "details");
    const auto description = reader.text("description");
    const auto base = reader.text("base_channel_label");
    const auto limit = reader.integer("usage_limit");
    const auto unlimited = reader.flag("unlimited_usage_limit");
    const auto is_default = reader.flag("universal_default");
    const auto disabled = reader.flag("disabled");
    const auto contact = reader.text("contact_method");
    CO_CHECK_OK(reader.finish());
    if (contact) {
        CO_CHECK_OK(check_contact_method(*contact));
    }
    const auto key = call.text("key");
    CO_TRY(auto response, co_await change(call, [=](stored_rule& stored_rule) -> result<void> {
               auto& activation = *stored_rule.as_key;
               if (description) activation.description = *description;
               if (base) activation.base_channel = base_channel(*base);
               if (limit && *limit > 0) activation.usage_limit = *limit;
               if (unlimited.value_or(false) || (limit && *limit <= 0))
                   activation.usage_limit.reset();
               if (is_default) activation.universal_default = *is_default;
               if (disabled) activation.disabled = *disabled;
               if (contact) activation.contact_method = *contact;
               return {};
           }));
    if (is_default.value_or(false)) {
        call.set_partly_done();
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, clear_other_defaults(key)));
    }
    co_return response;
}

async<method_response> activation_key_methods::remove(call call) {
    CO_TRY(const auto match, find(call.text("key")));
    call.set_subject(match.as_key->description);
    auto work = deps_.rules.remove(match.name);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> activation_key_methods::list_systems(call call) {
    CO_TRY(const auto match, find(call.text("key")));
    CO_TRY(auto systems, deps_.fleet.find_systems(call));
    systems &= deps_.configuration.profiles.with_key(match.as_key->key);
    co_return deps_.fleet.list(
        std::move(systems), [&fleet = deps_.fleet](const system_record& system) -> result<value> {
            const auto facts = fleet.read_facts(system);
            return value::record{
                {"id", system.number.value()},
                {"hostname", facts.host},
                {"last_checkin", facts.sighting ? value(facts.sighting->last_seen) : value()}};
        });
}

async<method_response> activation_key_methods::add_children(call call) {
    const auto labels = read_labels(call, "childChannelLabels");
    co_return co_await change(std::move(call), [labels](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->child_channels =
            add_words(std::move(stored_rule.as_key->child_channels), labels);
        return {};
    });
}

async<method_response> activation_key_methods::remove_children(call call) {
    const auto labels = read_labels(call, "childChannelLabels");
    co_return co_await change(std::move(call), [labels](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->child_channels =
            remove_words(std::move(stored_rule.as_key->child_channels), labels);
        return {};
    });
}

async<method_response> activation_key_methods::add_entitlements(call call) {
    const auto entitlements = read_labels(call, "entitlements");
    co_return co_await change(
        std::move(call), [entitlements](stored_rule& stored_rule) -> result<void> {
            stored_rule.as_key->entitlements =
                merge_entitlements(std::move(stored_rule.as_key->entitlements), entitlements);
            return {};
        });
}

async<method_response> activation_key_methods::remove_entitlements(call call) {
    const auto entitlements = read_labels(call, "entitlements");
    co_return co_await change(
        std::move(call), [entitlements](stored_rule& stored_rule) -> result<void> {
            stored_rule.as_key->entitlements =
                remove_words(std::move(stored_rule.as_key->entitlements), entitlements);
            return {};
        });
}

async<method_response> activation_key_methods::add_packages(call call) {
    CO_TRY(const auto packages, read_packages(call));
    co_return co_await change(
        std::move(call), [packages](stored_rule& stored_rule) -> result<void> {
            stored_rule.as_key->packages =
                add_words(std::move(stored_rule.as_key->packages), packages);
            return {};
        });
}

async<method_response> activation_key_methods::remove_packages(call call) {
    CO_TRY(const auto packages, read_packages(call));
    co_return co_await change(
        std::move(call), [packages](stored_rule& stored_rule) -> result<void> {
            stored_rule.as_key->packages =
                remove_words(std::move(stored_rule.as_key->packages), packages);
            return {};
        });
}

// The names of the groups of the argument `serverGroupIds`.
async<std::vector<std::string>> activation_key_methods::read_group_names(call call) const {
    const auto groups = deps_.fleet.deps().groups.current();
    std::vector<std::string> names;
    for (const auto& item : *call.arguments().find("serverGroupIds")->get<value::list>()) {
        const auto number = *item.get<std::int64_t>();
        auto lookup = deps_.numbers.find(std::string(compatibility::numbered::group), number);
        const auto match = co_await within(deps_.clock, engine_timeout, std::move(lookup));
        if (!match && match.error().code() != errc::not_found) co_return fail(match.error());
        if (!match || !groups->contains(match->name))
            co_return fail(errc::invalid, fmt::format("system group \"{}\" not found", number));
        names.push_back(match->name);
    }
    co_return names;
}

async<method_response> activation_key_methods::add_groups(call call) {
    CO_TRY(const auto groups, co_await read_group_names(call));
    co_return co_await change(std::move(call), [groups](stored_rule& stored_rule) -> result<void> {
        stored_rule.groups = add_words(std::move(stored_rule.groups), groups);
        return {};
    });
}

async<method_response> activation_key_methods::remove_groups(call call) {
    CO_TRY(const auto groups, co_await read_group_names(call));
    co_return co_await change(std::move(call), [groups](stored_rule& stored_rule) -> result<void> {
        stored_rule.groups = remove_words(std::move(stored_rule.groups), groups);
        return {};
    });
}

async<method_response> activation_key_methods::list_config(call call) {
    CO_TRY(const auto match, find(call.text("key")));
    std::vector<configuration::channel> channels;
    for (const auto& config_channel : match.as_key->config_channels) {
        // Removed channels are skipped.
        if (auto channel = deps_.configuration.channels.find(config_channel))
            channels.push_back(*std::move(channel));
    }
    co_return method_response{to_value(channels)};
}

async<method_response> activation_key_methods::change_config(call call, config_list_change change) {
    const auto labels = read_labels(call, "configChannelLabels");
    CO_CHECK_OK(deps_.configuration.channels.find_all(labels));
    for (const auto& label : read_labels(call, "keys")) {
        CO_TRY(const auto match, find(label));
        auto work = deps_.rules.change(
            match.name, [change, labels](stored_rule& stored_rule) -> result<void> {
                if (!stored_rule.as_key) return fail(errc::not_found, "activation key not found");
                stored_rule.as_key->config_channels =
                    apply_change(change, std::move(stored_rule.as_key->config_channels), labels);
                return {};
            });
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
        call.set_partly_done();
    }
    co_return method_response{1};
}

async<method_response> activation_key_methods::set_config(call call) {
    co_return co_await change_config(std::move(call), config_list_change::replace);
}

async<method_response> activation_key_methods::add_config(call call) {
    using enum config_list_change;
    const auto change = read_flag(call, "addToTop") ? add_first : add_last;
    co_return co_await change_config(std::move(call), change);
}

async<method_response> activation_key_methods::remove_config(call call) {
    co_return co_await change_config(std::move(call), config_list_change::remove);
}

async<method_response> activation_key_methods::enable_deployment(call call) {
    co_return co_await change(std::move(call), [](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->deploys_files = true;
        return {};
    });
}

async<method_response> activation_key_methods::disable_deployment(call call) {
    co_return co_await change(std::move(call), [](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->deploys_files = false;
        return {};
    });
}

async<method_response> activation_key_methods::check_deployment(call call) {
    CO_TRY(const auto match, find(call.text("key")));
    co_return method_response{match.as_key->deploys_files ? 1 : 0};
}

}  // namespace muster::xmlrpc_api
