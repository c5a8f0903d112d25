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

constexpr const char* prefix = "1-";  // of the only organisation that keys belong to
constexpr std::size_t key_bytes = 16;
constexpr std::size_t name_bytes = 12;  // nothing of the key: names are seen by others

std::string full_key(const std::string& desired) {
    if (desired.empty()) return prefix + to_hex(os::random_bytes(key_bytes));
    return desired.starts_with(prefix) ? desired : prefix + desired;
}

std::string channel_in(const std::string& label) {
    return label == "none" ? std::string() : label;
}

}  // namespace

result<stored_rule> activation_key_methods::find(const std::string& key) const {
    const auto rules = deps_.rules.current();
    const auto it = std::ranges::find_if(*rules, [&](const fleet::accept_rule_store::rule& rule) {
        return rule.stored.as_key && rule.stored.as_key->key == key;
    });
    if (it == rules->end()) return fail(errc::not_found, "There is no such activation key");
    return it->stored;
}

async<value> activation_key_methods::told_key(stored_rule rule) const {
    auto numbering =
        deps_.numbers.number_all(std::string(compatibility::numbered::group), rule.groups);
    CO_TRY(const auto groups, co_await within(deps_.clock, engine_timeout, std::move(numbering)));
    value::list numbers;
    for (const auto& group : groups) numbers.emplace_back(group.number);
    co_return told_activation(rule, std::move(numbers));
}

async<answer> activation_key_methods::list(call /*asked*/) {
    value::list list;
    const auto rules = deps_.rules.current();
    for (const auto& rule : *rules) {
        if (!rule.stored.as_key) continue;
        CO_TRY(auto one, co_await told_key(rule.stored));
        list.push_back(std::move(one));
    }
    co_return answer{std::move(list)};
}

async<answer> activation_key_methods::get_details(call call) {
    CO_TRY(auto match, find(call.text("key")));
    CO_TRY(auto output, co_await told_key(std::move(match)));
    co_return answer{std::move(output)};
}

async<answer> activation_key_methods::create(call call) {
    fleet::activation key{.key = full_key(call.text("key"))};
    call.set_subject(call.text("description"));  // the key itself is not for the trail
    stored_rule stored_rule;
    stored_rule.key_digest = api::secret_digest(key.key);
    stored_rule.name = "key-" + to_hex(os::random_bytes(name_bytes));
    stored_rule.zone = std::string(cluster::default_zone);
    stored_rule.made_by = call.who().user;
    stored_rule.made = deps_.clock.wall();
    key.description = call.text("description");
    if (key.description.empty()) key.description = "None";
    key.base_channel = channel_in(call.text("baseChannelLabel"));
    key.entitlements = with_entitlements({}, labels_in(call, "entitlements"));
    key.universal_default = flag_in(call, "universalDefault");
    const bool limited = call.operation().takes.size() > 5;
    if (limited && call.integer("usageLimit") > 0) key.usage_limit = call.integer("usageLimit");
    const bool only = key.universal_default;
    const auto result = key.key;
    stored_rule.as_key = std::move(key);
    auto work = deps_.rules.add(std::move(stored_rule));
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    call.set_partly_done();
    if (only) {
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, be_only_default(result)));
    }
    co_return answer{result};
}

// One key at most is the default: whoever becomes it takes it from the others.
async<void> activation_key_methods::be_only_default(std::string key) {
    const auto rules = deps_.rules.current();
    for (const auto& rule : *rules) {
        const bool other = rule.stored.as_key && rule.stored.as_key->universal_default
                           && rule.stored.as_key->key != key;
        if (!other) continue;
        CO_CHECK_OK(co_await deps_.rules.change(
            rule.stored.name, [](stored_rule& stored_rule) -> result<void> {
                if (stored_rule.as_key) stored_rule.as_key->universal_default = false;
                return {};
            }));
    }
    co_return result<void>();
}

async<answer> activation_key_methods::change(
    call call, fleet::accept_rule_store::alteration alteration) {
    CO_TRY(const auto match, find(call.text("key")));
    call.set_subject(match.as_key->description);
    auto work = deps_.rules.change(
        match.name, [alteration = std::move(alteration)](stored_rule& stored_rule) -> result<void> {
            if (!stored_rule.as_key)
                return fail(errc::not_found, "There is no such activation key");
            return alteration(stored_rule);
        });
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> activation_key_methods::set_details(call call) {
    struct_reader struct_reader(call, "details");
    const auto description = struct_reader.text("description");
    const auto base = struct_reader.text("base_channel_label");
    const auto limit = struct_reader.integer("usage_limit");
    const auto unlimited = struct_reader.flag("unlimited_usage_limit");
    const auto only = struct_reader.flag("universal_default");
    const auto disabled = struct_reader.flag("disabled");
    const auto contact = struct_reader.text("contact_method");
    CO_CHECK_OK(struct_reader.finish());
    if (contact) {
        CO_CHECK_OK(check_contact_method(*contact));
    }
    const auto key = call.text("key");
    CO_TRY(auto done, co_await change(call, [=](stored_rule& stored_rule) -> result<void> {
               auto& of = *stored_rule.as_key;
               if (description) of.description = *description;
               if (base) of.base_channel = channel_in(*base);
               if (limit && *limit > 0) of.usage_limit = *limit;
               if (unlimited.value_or(false) || (limit && *limit <= 0)) of.usage_limit.reset();
               if (only) of.universal_default = *only;
               if (disabled) of.disabled = *disabled;
               if (contact) of.contact_method = *contact;
               return {};
           }));
    if (only.value_or(false)) {
        call.set_partly_done();
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, be_only_default(key)));
    }
    co_return done;
}

async<answer> activation_key_methods::remove(call call) {
    CO_TRY(const auto match, find(call.text("key")));
    call.set_subject(match.as_key->description);
    auto work = deps_.rules.remove(match.name);
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> activation_key_methods::list_systems(call call) {
    CO_TRY(const auto match, find(call.text("key")));
    CO_TRY(auto systems, deps_.view.meant(call));
    systems &= deps_.configuration.profiles.with_key(match.as_key->key);
    co_return deps_.view.list(
        std::move(systems), [&view = deps_.view](const system_record& system) -> result<value> {
            const auto all = view.picture(system);
            return value::record{
                {"id", system.number.value()},
                {"hostname", all.host},
                {"last_checkin", all.seen ? value(all.seen->last_seen) : value()}};
        });
}

async<answer> activation_key_methods::add_children(call call) {
    const auto some = labels_in(call, "childChannelLabels");
    co_return co_await change(std::move(call), [some](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->child_channels =
            with_words(std::move(stored_rule.as_key->child_channels), some);
        return {};
    });
}

async<answer> activation_key_methods::remove_children(call call) {
    const auto some = labels_in(call, "childChannelLabels");
    co_return co_await change(std::move(call), [some](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->child_channels =
            without_words(std::move(stored_rule.as_key->child_channels), some);
        return {};
    });
}

async<answer> activation_key_methods::add_entitlements(call call) {
    const auto some = labels_in(call, "entitlements");
    co_return co_await change(std::move(call), [some](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->entitlements =
            with_entitlements(std::move(stored_rule.as_key->entitlements), some);
        return {};
    });
}

async<answer> activation_key_methods::remove_entitlements(call call) {
    const auto some = labels_in(call, "entitlements");
    co_return co_await change(std::move(call), [some](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->entitlements =
            without_words(std::move(stored_rule.as_key->entitlements), some);
        return {};
    });
}

async<answer> activation_key_methods::add_packages(call call) {
    CO_TRY(const auto some, packages_in(call));
    co_return co_await change(std::move(call), [some](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->packages = with_words(std::move(stored_rule.as_key->packages), some);
        return {};
    });
}

async<answer> activation_key_methods::remove_packages(call call) {
    CO_TRY(const auto some, packages_in(call));
    co_return co_await change(std::move(call), [some](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->packages = without_words(std::move(stored_rule.as_key->packages), some);
        return {};
    });
}

// The names of the groups whose numbers are given.
async<std::vector<std::string>> activation_key_methods::groups_in(call call) const {
    const auto groups = deps_.view.around().groups.current();
    std::vector<std::string> names;
    for (const auto& each : *call.arguments().find("serverGroupIds")->get<value::list>()) {
        const auto number = *each.get<std::int64_t>();
        auto finding = deps_.numbers.find(std::string(compatibility::numbered::group), number);
        const auto match = co_await within(deps_.clock, engine_timeout, std::move(finding));
        if (!match && match.error().code() != errc::not_found) co_return fail(match.error());
        if (!match || !groups->contains(match->name))
            co_return fail(errc::invalid, fmt::format("There is no system group {}", number));
        names.push_back(match->name);
    }
    co_return names;
}

async<answer> activation_key_methods::add_groups(call call) {
    CO_TRY(const auto some, co_await groups_in(call));
    co_return co_await change(std::move(call), [some](stored_rule& stored_rule) -> result<void> {
        stored_rule.groups = with_words(std::move(stored_rule.groups), some);
        return {};
    });
}

async<answer> activation_key_methods::remove_groups(call call) {
    CO_TRY(const auto some, co_await groups_in(call));
    co_return co_await change(std::move(call), [some](stored_rule& stored_rule) -> result<void> {
        stored_rule.groups = without_words(std::move(stored_rule.groups), some);
        return {};
    });
}

async<answer> activation_key_methods::list_config(call call) {
    CO_TRY(const auto match, find(call.text("key")));
    std::vector<configuration::channel> channels;
    for (const auto& config_channel : match.as_key->config_channels) {
        // One that was removed since is not there any more.
        if (auto one = deps_.configuration.channels.find(config_channel))
            channels.push_back(*std::move(one));
    }
    co_return answer{told(channels)};
}

async<answer> activation_key_methods::change_config(call call, config_list_change change) {
    const auto desired = labels_in(call, "configChannelLabels");
    CO_CHECK_OK(deps_.configuration.channels.find_all(desired));
    for (const auto& each : labels_in(call, "keys")) {
        CO_TRY(const auto match, find(each));
        auto work = deps_.rules.change(
            match.name, [change, desired](stored_rule& stored_rule) -> result<void> {
                if (!stored_rule.as_key)
                    return fail(errc::not_found, "There is no such activation key");
                stored_rule.as_key->config_channels =
                    changed_list(change, std::move(stored_rule.as_key->config_channels), desired);
                return {};
            });
        CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, std::move(work)));
        call.set_partly_done();
    }
    co_return answer{1};
}

async<answer> activation_key_methods::set_config(call call) {
    co_return co_await change_config(std::move(call), config_list_change::replace);
}

async<answer> activation_key_methods::add_config(call call) {
    using enum config_list_change;
    const auto change = flag_in(call, "addToTop") ? add_first : add_last;
    co_return co_await change_config(std::move(call), change);
}

async<answer> activation_key_methods::remove_config(call call) {
    co_return co_await change_config(std::move(call), config_list_change::remove);
}

async<answer> activation_key_methods::enable_deployment(call call) {
    co_return co_await change(std::move(call), [](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->deploys_files = true;
        return {};
    });
}

async<answer> activation_key_methods::disable_deployment(call call) {
    co_return co_await change(std::move(call), [](stored_rule& stored_rule) -> result<void> {
        stored_rule.as_key->deploys_files = false;
        return {};
    });
}

async<answer> activation_key_methods::check_deployment(call call) {
    CO_TRY(const auto match, find(call.text("key")));
    co_return answer{match.as_key->deploys_files ? 1 : 0};
}

}  // namespace muster::xmlrpc_api
