#include "apps/agent/tasks/package_change.h"

#include "apps/agent/tasks/arguments.h"
#include "core/packages/list/package.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::agent {
namespace {

using packages::package;
using words = std::vector<std::string>;

constexpr std::array managers{"apt-get", "dnf", "zypper", "yum"};
constexpr std::array places{"/usr/bin/", "/bin/", "/usr/sbin/", "/usr/local/bin/"};
constexpr std::size_t packages_max = 2'000;

struct change {
    std::string action;
    std::vector<package> which;  // those without an edition are meant by name
    bool test = false;
    bool change_vendors = false;

    bool is_distribution() const { return action == "distribution"; }
};

// "NAME" or "NAME EDITION ARCH".
result<package> read_package(std::string_view text) {
    const auto first = text.find(' ');
    package result{.name = std::string(text.substr(0, first))};
    if (first != std::string_view::npos) {
        const auto second = text.find(' ', first + 1);
        if (second == std::string_view::npos)
            return fail(errc::invalid, "packages: NAME, or NAME EDITION ARCH with blanks between");
        result.at = packages::parse_edition(text.substr(first + 1, second - first - 1));
        result.arch = text.substr(second + 1);
    }
    auto checked = result;
    if (checked.at.version.empty() && first == std::string_view::npos) checked.at.version = "0";
    CHECK_OK(packages::check(checked));
    return result;
}

result<change> read_change(std::string_view text) {
    TRY(auto from, arguments::parse(text));
    change result{.action = from.text("action").value_or(""), .which = {}};
    const auto listed = from.texts("packages").value_or(words());
    result.test = from.flag("test").value_or(false);
    result.change_vendors = from.flag("change_vendors").value_or(false);
    CHECK_OK(from.finish());
    constexpr std::array actions{"install", "remove", "upgrade", "distribution"};
    if (std::ranges::find(actions, result.action) == actions.end())
        return fail(errc::invalid, "action: install, remove, upgrade or distribution");
    if (result.is_distribution() && !listed.empty())
        return fail(errc::invalid, "packages: none, for a distribution is changed as a whole");
    if (result.change_vendors && !result.is_distribution())
        return fail(errc::invalid, "change_vendors: only with the action distribution");
    if (listed.empty() && result.action != "upgrade" && !result.is_distribution())
        return fail(errc::invalid, "packages: at least one is needed");
    if (listed.size() > packages_max)
        return fail(errc::invalid, fmt::format("packages: at most {}", packages_max));
    for (const auto& each : listed) {
        TRY(auto package, read_package(each));
        result.which.push_back(std::move(package));
    }
    return result;
}

result<std::string> find_manager(const std::string& desired) {
    if (!desired.empty()) return desired;
    for (const std::string name : managers) {
        for (const std::string place : places) {
            if (::access((place + name).c_str(), X_OK) == 0) return place + name;
        }
    }
    return fail(
        errc::invalid,
        "this machine has none of apt-get, dnf, zypper and yum; `packages.manager` may name it");
}

// To apt-get, NAME- means removing, NAME+ installing, NAME^ a task, and what is no package's name a
// regular expression. Debian's own names may end in + ("g++"): see word_for_apt().
result<void> check_for_apt(const change& change) {
    const auto is_first = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    };
    const auto is_next = [&](char c) {
        return is_first(c) || c == '+' || c == '.' || c == '-';
    };
    for (const auto& each : change.which) {
        const bool well = !each.name.empty() && is_first(each.name.front())
                          && std::ranges::all_of(each.name, is_next) && each.name.back() != '-';
        // Behind the name, too, the last sign may not be one that apt-get takes for itself.
        const bool plain =
            std::ranges::all_of(each.arch, [&](char c) { return is_first(c) || c == '-'; })
            && !each.arch.ends_with('-');
        const auto edition = packages::to_string(each.at);
        const bool means_more =
            !edition.empty() && std::string_view("-+^").contains(edition.back());
        if (!well || !plain || means_more)
            return fail(errc::invalid, fmt::format("packages: apt has no {} as a name", each.name));
    }
    return {};
}

// Whether "vim+" is a name or an order to install vim, apt-get decides by what it knows of. With an
// architecture behind it, which each package of this machine has, it is a name and nothing else.
std::string word_for_apt(const package& of, const change& change) {
    auto word = of.name;
    if (!of.arch.empty() && of.arch != "all")
        word += ":" + of.arch;
    else if (of.name.ends_with('+'))
        word += ":native";
    if (!of.at.version.empty() && change.action != "remove")
        word += "=" + packages::to_string(of.at);
    return word;
}

words apt_line(const change& change) {
    words result{"-y", "-q", "-o", "Dpkg::Options::=--force-confold"};
    // "python3.1" is no regular expression that means "python3.11", too.
    result.insert(result.end(), {"-o", "APT::Cmd::Pattern-Only=true"});
    if (change.test) result.emplace_back("--simulate");
    if (change.which.empty()) {
        result.emplace_back(change.is_distribution() ? "dist-upgrade" : "upgrade");
        return result;
    }
    result.emplace_back(change.action == "remove" ? "remove" : "install");
    if (change.action == "upgrade") result.emplace_back("--only-upgrade");
    if (change.action == "install") result.emplace_back("--allow-downgrades");
    result.emplace_back("--");
    for (const auto& each : change.which) result.push_back(word_for_apt(each, change));
    return result;
}

words dnf_line(const change& change) {
    words result{"-y"};
    // The transaction is put together and tried, and not done.
    if (change.test) result.emplace_back("--setopt=tsflags=test");
    result.emplace_back(change.is_distribution() ? "distro-sync" : change.action);
    result.emplace_back("--");
    for (const auto& each : change.which) {
        auto word = each.name;
        if (!each.at.version.empty()) {
            word += "-" + packages::to_string(each.at);
            if (!each.arch.empty()) word += "." + each.arch;
        }
        result.push_back(std::move(word));
    }
    if (change.which.empty()) result.pop_back();
    return result;
}

words zypper_line(const change& change) {
    words result{"--non-interactive", "--no-refresh"};
    if (change.action == "install" || change.action == "remove") {
        result.push_back(change.action);
        if (change.action == "install") result.emplace_back("--oldpackage");
    } else {
        result.emplace_back(change.is_distribution() ? "dist-upgrade" : "update");
    }
    if (change.is_distribution())
        result.emplace_back(
            change.change_vendors ? "--allow-vendor-change" : "--no-allow-vendor-change");
    if (change.test) result.emplace_back("--dry-run");
    result.emplace_back("--");
    for (const auto& each : change.which) {
        auto word = each.name;
        if (!each.at.version.empty() && !each.arch.empty()) word += "." + each.arch;
        if (!each.at.version.empty()) word += "=" + packages::to_string(each.at);
        result.push_back(std::move(word));
    }
    if (change.which.empty()) result.pop_back();
    return result;
}

result<words> line_of(const std::string& manager, const change& change) {
    const auto name = std::filesystem::path(manager).filename().string();
    words result{manager};
    words rest;
    if (name == "apt-get") {
        CHECK_OK(check_for_apt(change));
        rest = apt_line(change);
    } else if (name == "dnf" || name == "yum")
        rest = dnf_line(change);
    else if (name == "zypper")
        rest = zypper_line(change);
    else
        return fail(
            errc::invalid, "packages.manager: only apt-get, dnf, yum and zypper are known here");
    result.insert(result.end(), rest.begin(), rest.end());
    return result;
}

}  // namespace

result<command> parse_package_change(
    const session::task_order& task,
    const command_limits& limits,
    const package_change_options& options) {
    TRY(const auto change, read_change(task.arguments));
    TRY(const auto manager, find_manager(options.manager));
    TRY(const auto line, line_of(manager, change));
    boost::json::array argv;
    for (const auto& each : line) argv.emplace_back(each);
    const boost::json::object order{
        {"argv", std::move(argv)}, {"env", {{"DEBIAN_FRONTEND", "noninteractive"}}}};
    auto as_command = task;
    as_command.arguments = boost::json::serialize(order);
    return parse_command(as_command, limits);
}

}  // namespace muster::agent
