#include "api/xmlrpc/methods/activation_key_methods.h"

#include "adapters/os/random.h"
#include "base/hex.h"
#include "ports/deadline.h"
#include "api/xmlrpc/methods/activation_words.h"
#include "api/xmlrpc/methods/entitlements.h"
#include "api/agent/enrol_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using fleet::stored_rule;
using api::engine_patience;

constexpr const char* prefix = "1-";  // of the only organisation that keys belong to
constexpr std::size_t key_bytes = 16;
constexpr std::size_t name_bytes = 12;  // nothing of the key: names are seen by others

std::string full_key(const std::string& wanted) {
    if (wanted.empty()) return prefix + to_hex(os::random_bytes(key_bytes));
    return wanted.starts_with(prefix) ? wanted : prefix + wanted;
}

std::string channel_in(const std::string& label) {
    return label == "none" ? std::string() : label;
}

}  // namespace

result<stored_rule> activation_key_methods::find(const std::string& key) const {
    const auto rules = around_.rules.current();
    const auto found = std::ranges::find_if(*rules, [&](const fleet::rule_book::rule& each) {
        return each.stored.as_key && each.stored.as_key->key == key;
    });
    if (found == rules->end()) return fail(errc::not_found, "There is no such activation key");
    return found->stored;
}

async<value> activation_key_methods::told_key(stored_rule rule) const {
    auto numbering = around_.numbers.number_all(std::string(cluster::numbered::group), rule.groups);
    CO_TRY(const auto groups, co_await within(around_.time, engine_patience, std::move(numbering)));
    value::list numbers;
    for (const auto& each : groups) numbers.emplace_back(each.number);
    co_return told_activation(rule, std::move(numbers));
}

async<answer> activation_key_methods::list(call /*asked*/) {
    value::list made;
    const auto rules = around_.rules.current();
    for (const auto& each : *rules) {
        if (!each.stored.as_key) continue;
        CO_TRY(auto one, co_await told_key(each.stored));
        made.push_back(std::move(one));
    }
    co_return answer{std::move(made)};
}

async<answer> activation_key_methods::get_details(call asked) {
    CO_TRY(auto found, find(asked.text("key")));
    CO_TRY(auto shown, co_await told_key(std::move(found)));
    co_return answer{std::move(shown)};
}

async<answer> activation_key_methods::create(call asked) {
    fleet::activation key{.key = full_key(asked.text("key"))};
    asked.set_subject(asked.text("description"));  // the key itself is not for the trail
    stored_rule wanted;
    wanted.key_digest = api::secret_digest(key.key);
    wanted.name = "key-" + to_hex(os::random_bytes(name_bytes));
    wanted.zone = std::string(cluster::default_zone);
    wanted.made_by = asked.who().user;
    wanted.made = around_.time.wall();
    key.description = asked.text("description");
    if (key.description.empty()) key.description = "None";
    key.base_channel = channel_in(asked.text("baseChannelLabel"));
    key.entitlements = with_entitlements({}, labels_in(asked, "entitlements"));
    key.universal_default = flag_in(asked, "universalDefault");
    const bool limited = asked.operation().takes.size() > 5;
    if (limited && asked.integer("usageLimit") > 0) key.usage_limit = asked.integer("usageLimit");
    const bool only = key.universal_default;
    const auto made = key.key;
    wanted.as_key = std::move(key);
    auto work = around_.rules.add(std::move(wanted));
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    asked.set_partly_done();
    if (only) {
        CO_CHECK_OK(co_await within(around_.time, engine_patience, be_only_default(made)));
    }
    co_return answer{made};
}

// One key at most is the default: whoever becomes it takes it from the others.
async<void> activation_key_methods::be_only_default(std::string key) {
    const auto rules = around_.rules.current();
    for (const auto& each : *rules) {
        const bool other = each.stored.as_key && each.stored.as_key->universal_default
                           && each.stored.as_key->key != key;
        if (!other) continue;
        CO_CHECK_OK(
            co_await around_.rules.change(each.stored.name, [](stored_rule& one) -> result<void> {
                if (one.as_key) one.as_key->universal_default = false;
                return {};
            }));
    }
    co_return result<void>();
}

async<answer> activation_key_methods::change(call asked, alteration how) {
    CO_TRY(const auto found, find(asked.text("key")));
    asked.set_subject(found.as_key->description);
    auto work =
        around_.rules.change(found.name, [how = std::move(how)](stored_rule& one) -> result<void> {
            if (!one.as_key) return fail(errc::not_found, "There is no such activation key");
            return how(one);
        });
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> activation_key_methods::set_details(call asked) {
    struct_reader given(asked, "details");
    const auto description = given.text("description");
    const auto base = given.text("base_channel_label");
    const auto limit = given.integer("usage_limit");
    const auto unlimited = given.flag("unlimited_usage_limit");
    const auto only = given.flag("universal_default");
    const auto disabled = given.flag("disabled");
    const auto contact = given.text("contact_method");
    CO_CHECK_OK(given.finish());
    if (contact) {
        CO_CHECK_OK(check_contact_method(*contact));
    }
    const auto key = asked.text("key");
    CO_TRY(auto done, co_await change(asked, [=](stored_rule& one) -> result<void> {
               auto& of = *one.as_key;
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
        asked.set_partly_done();
        CO_CHECK_OK(co_await within(around_.time, engine_patience, be_only_default(key)));
    }
    co_return done;
}

async<answer> activation_key_methods::remove(call asked) {
    CO_TRY(const auto found, find(asked.text("key")));
    asked.set_subject(found.as_key->description);
    auto work = around_.rules.remove(found.name);
    CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
    co_return answer{1};
}

async<answer> activation_key_methods::list_systems(call asked) {
    CO_TRY(const auto found, find(asked.text("key")));
    CO_TRY(auto systems, around_.view.meant(asked));
    systems &= around_.kept.profiles.with_key(found.as_key->key);
    co_return around_.view.list(
        std::move(systems), [&view = around_.view](const system_record& each) -> result<value> {
            const auto all = view.picture(each);
            return value::record{
                {"id", each.number.value()},
                {"hostname", all.host},
                {"last_checkin", all.seen ? value(all.seen->last_seen) : value()}};
        });
}

async<answer> activation_key_methods::add_children(call asked) {
    const auto some = labels_in(asked, "childChannelLabels");
    co_return co_await change(std::move(asked), [some](stored_rule& one) -> result<void> {
        one.as_key->child_channels = with_words(std::move(one.as_key->child_channels), some);
        return {};
    });
}

async<answer> activation_key_methods::remove_children(call asked) {
    const auto some = labels_in(asked, "childChannelLabels");
    co_return co_await change(std::move(asked), [some](stored_rule& one) -> result<void> {
        one.as_key->child_channels = without_words(std::move(one.as_key->child_channels), some);
        return {};
    });
}

async<answer> activation_key_methods::add_entitlements(call asked) {
    const auto some = labels_in(asked, "entitlements");
    co_return co_await change(std::move(asked), [some](stored_rule& one) -> result<void> {
        one.as_key->entitlements = with_entitlements(std::move(one.as_key->entitlements), some);
        return {};
    });
}

async<answer> activation_key_methods::remove_entitlements(call asked) {
    const auto some = labels_in(asked, "entitlements");
    co_return co_await change(std::move(asked), [some](stored_rule& one) -> result<void> {
        one.as_key->entitlements = without_words(std::move(one.as_key->entitlements), some);
        return {};
    });
}

async<answer> activation_key_methods::add_packages(call asked) {
    CO_TRY(const auto some, packages_in(asked));
    co_return co_await change(std::move(asked), [some](stored_rule& one) -> result<void> {
        one.as_key->packages = with_words(std::move(one.as_key->packages), some);
        return {};
    });
}

async<answer> activation_key_methods::remove_packages(call asked) {
    CO_TRY(const auto some, packages_in(asked));
    co_return co_await change(std::move(asked), [some](stored_rule& one) -> result<void> {
        one.as_key->packages = without_words(std::move(one.as_key->packages), some);
        return {};
    });
}

// The names of the groups whose numbers are given.
async<std::vector<std::string>> activation_key_methods::groups_in(call asked) const {
    const auto known = around_.view.around().groups.current();
    std::vector<std::string> names;
    for (const auto& each : *asked.arguments().find("serverGroupIds")->get<value::list>()) {
        const auto number = *each.get<std::int64_t>();
        auto finding = around_.numbers.find(std::string(cluster::numbered::group), number);
        const auto found = co_await within(around_.time, engine_patience, std::move(finding));
        if (!found && found.error().code() != errc::not_found) co_return fail(found.error());
        if (!found || !known->contains(found->name))
            co_return fail(errc::invalid, fmt::format("There is no system group {}", number));
        names.push_back(found->name);
    }
    co_return names;
}

async<answer> activation_key_methods::add_groups(call asked) {
    CO_TRY(const auto some, co_await groups_in(asked));
    co_return co_await change(std::move(asked), [some](stored_rule& one) -> result<void> {
        one.groups = with_words(std::move(one.groups), some);
        return {};
    });
}

async<answer> activation_key_methods::remove_groups(call asked) {
    CO_TRY(const auto some, co_await groups_in(asked));
    co_return co_await change(std::move(asked), [some](stored_rule& one) -> result<void> {
        one.groups = without_words(std::move(one.groups), some);
        return {};
    });
}

async<answer> activation_key_methods::list_config(call asked) {
    CO_TRY(const auto found, find(asked.text("key")));
    std::vector<configuration::channel> made;
    for (const auto& each : found.as_key->config_channels) {
        // One that was removed since is not there any more.
        if (auto one = around_.kept.channels.find(each)) made.push_back(*std::move(one));
    }
    co_return answer{told(made)};
}

async<answer> activation_key_methods::change_config(
    call asked,
    std::function<std::vector<std::string>(std::vector<std::string>, std::vector<std::string>)>
        how) {
    const auto wanted = labels_in(asked, "configChannelLabels");
    CO_CHECK_OK(around_.kept.channels.find_all(wanted));
    for (const auto& each : labels_in(asked, "keys")) {
        CO_TRY(const auto found, find(each));
        auto work =
            around_.rules.change(found.name, [how, wanted](stored_rule& one) -> result<void> {
                if (!one.as_key) return fail(errc::not_found, "There is no such activation key");
                one.as_key->config_channels = how(std::move(one.as_key->config_channels), wanted);
                return {};
            });
        CO_CHECK_OK(co_await within(around_.time, engine_patience, std::move(work)));
        asked.set_partly_done();
    }
    co_return answer{1};
}

async<answer> activation_key_methods::set_config(call asked) {
    co_return co_await change_config(
        std::move(asked), [](std::vector<std::string> /*now*/, std::vector<std::string> some) {
            return configuration::with_channels({}, some, configuration::where::back);
        });
}

async<answer> activation_key_methods::add_config(call asked) {
    const auto to = flag_in(asked, "addToTop") ? configuration::where::front : configuration::where::back;
    co_return co_await change_config(
        std::move(asked), [to](std::vector<std::string> now, std::vector<std::string> some) {
            return configuration::with_channels(std::move(now), some, to);
        });
}

async<answer> activation_key_methods::remove_config(call asked) {
    co_return co_await change_config(
        std::move(asked), [](std::vector<std::string> now, std::vector<std::string> some) {
            return configuration::without_channels(std::move(now), some);
        });
}

async<answer> activation_key_methods::enable_deployment(call asked) {
    co_return co_await change(std::move(asked), [](stored_rule& one) -> result<void> {
        one.as_key->deploys_files = true;
        return {};
    });
}

async<answer> activation_key_methods::disable_deployment(call asked) {
    co_return co_await change(std::move(asked), [](stored_rule& one) -> result<void> {
        one.as_key->deploys_files = false;
        return {};
    });
}

async<answer> activation_key_methods::check_deployment(call asked) {
    CO_TRY(const auto found, find(asked.text("key")));
    co_return answer{found.as_key->deploys_files ? 1 : 0};
}

}  // namespace muster::xmlrpc_api
