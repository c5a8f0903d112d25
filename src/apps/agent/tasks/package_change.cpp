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
using word_list = std::vector<std::string>;

constexpr std::array managers{"apt-get", "dnf", "zypper", "yum"};
constexpr std::array directories{"/usr/bin/", "/bin/", "/usr/sbin/", "/usr/local/bin/"};
constexpr std::size_t packages_max = 2'000;

struct change {
    std::string action;
    std::vector<package> packages;  // without an edition: selected by name
    bool test = false;
    bool change_vendors = false;

    bool is_distribution() const { return action == "distribution"; }
};

// "NAME" or "NAME EDITION ARCH".
result<package> parse_package(std::string_view text) {
    const auto first = text.find(' ');
    package result{.name = std::string(text.substr(0, first))};
    if (first != std::string_view::npos) {
        const auto second = text.find(' ', first + 1);
        if (second == std::string_view::npos)
            return fail(errc::invalid, "packages: expected \"NAME\" or \"NAME EDITION ARCH\"");
        result.at = packages::parse_edition(text.substr(first + 1, second - first - 1));
        result.arch = text.substr(second + 1);
    }
    auto checked = result;
    if (checked.at.version.empty() && first == std::string_view::npos) checked.at.version = "0";
    CHECK_OK(packages::check(checked));
    return result;
}

result<change> parse_change(std::string_view text) {
    TRY(auto args, arguments::parse(text));
    change result{.action = args.text("action").value_or(""), .packages = {}};
    const auto names = args.texts("packages").value_or(word_list());
    result.test = args.flag("test").value_or(false);
    result.change_vendors = args.flag("change_vendors").value_or(false);
    CHECK_OK(args.finish());
    constexpr std::array actions{"install", "remove", "upgrade", "distribution"};
    if (std::ranges::find(actions, result.action) == actions.end())
        return fail(errc::invalid, "action: must be install, remove, upgrade or distribution");
    if (result.is_distribution() && !names.empty())
        return fail(errc::invalid, "packages: not allowed with the action distribution");
    if (result.change_vendors && !result.is_distribution())
        return fail(errc::invalid, "change_vendors: allowed only with the action distribution");
    if (names.empty() && result.action != "upgrade" && !result.is_distribution())
        return fail(errc::invalid, "packages: at least one package required");
    if (names.size() > packages_max)
        return fail(
            errc::invalid, fmt::format("packages: limit of {} packages exceeded", packages_max));
    for (const auto& name : names) {
        TRY(auto package, parse_package(name));
        result.packages.push_back(std::move(package));
    }
    return result;
}

result<std::string> find_manager(const std::string& configured) {
    if (!configured.empty()) return configured;
    for (const std::string name : managers) {
        for (const std::string directory : directories) {
            if (::access((directory + name).c_str(), X_OK) == 0) return directory + name;
        }
    }
    return fail(
        errc::invalid,
        "no package manager found (apt-get, dnf, zypper, yum); set packages.manager");
}

// To apt-get, NAME- means removal, NAME+ installation, NAME^ a task, and an unknown name is a
// regular expression. Debian's own names may end in + ("g++"): see apt_word().
result<void> check_for_apt(const change& change) {
    const auto is_first = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    };
    const auto is_next = [&](char c) {
        return is_first(c) || c == '+' || c == '.' || c == '-';
    };
    for (const auto& package : change.packages) {
        const bool valid_name = !package.name.empty() && is_first(package.name.front())
                                && std::ranges::all_of(package.name, is_next)
                                && package.name.back() != '-';
        // The last character of the whole word must not be an apt-get operator, either.
        const bool valid_arch =
            std::ranges::all_of(package.arch, [&](char c) { return is_first(c) || c == '-'; })
            && !package.arch.ends_with('-');
        const auto edition = packages::to_string(package.at);
        const bool ends_with_operator =
            !edition.empty() && std::string_view("-+^").contains(edition.back());
        if (!valid_name || !valid_arch || ends_with_operator)
            return fail(
                errc::invalid,
                fmt::format("packages: package \"{}\" is not valid for apt", package.name));
    }
    return {};
}

// apt-get may read "vim+" as a name or as a request to install vim. With an architecture behind it,
// the word is always a name.
std::string apt_word(const packages::package& package, const change& change) {
    auto word = package.name;
    if (!package.arch.empty() && package.arch != "all")
        word += ":" + package.arch;
    else if (package.name.ends_with('+'))
        word += ":native";
    if (!package.at.version.empty() && change.action != "remove")
        word += "=" + packages::to_string(package.at);
    return word;
}

word_list apt_line(const change& change) {
    word_list words{"-y", "-q", "-o", "Dpkg::Options::=--force-confold"};
    // "python3.1" must not match "python3.11" as a regular expression.
    words.insert(words.end(), {"-o", "APT::Cmd::Pattern-Only=true"});
    if (change.test) words.emplace_back("--simulate");
    if (change.packages.empty()) {
        words.emplace_back(change.is_distribution() ? "dist-upgrade" : "upgrade");
        return words;
    }
    words.emplace_back(change.action == "remove" ? "remove" : "install");
    if (change.action == "upgrade") words.emplace_back("--only-upgrade");
    if (change.action == "install") words.emplace_back("--allow-downgrades");
    words.emplace_back("--");
    for (const auto& package : change.packages) words.push_back(apt_word(package, change));
    return words;
}

word_list dnf_line(const change& change) {
    word_list words{"-y"};
    // Tests the transaction without running it.
    if (change.test) words.emplace_back("--setopt=tsflags=test");
    words.emplace_back(change.is_distribution() ? "distro-sync" : change.action);
    words.emplace_back("--");
    for (const auto& package : change.packages) {
        auto word = package.name;
        if (!package.at.version.empty()) {
            word += "-" + packages::to_string(package.at);
            if (!package.arch.empty()) word += "." + package.arch;
        }
        words.push_back(std::move(word));
    }
    if (change.packages.empty()) words.pop_back();
    return words;
}

word_list zypper_line(const change& change) {
    word_list words{"--non-interactive", "--no-refresh"};
    if (change.action == "install" || change.action == "remove") {
        words.push_back(change.action);
        if (change.action == "install") words.emplace_back("--oldpackage");
    } else {
        words.emplace_back(change.is_distribution() ? "dist-upgrade" : "update");
    }
    if (change.is_distribution())
        words.emplace_back(
            change.change_vendors ? "--allow-vendor-change" : "--no-allow-vendor-change");
    if (change.test) words.emplace_back("--dry-run");
    words.emplace_back("--");
    for (const auto& package : change.packages) {
        auto word = package.name;
        if (!package.at.version.empty() && !package.arch.empty()) word += "." + package.arch;
        if (!package.at.version.empty()) word += "=" + packages::to_string(package.at);
        words.push_back(std::move(word));
    }
    if (change.packages.empty()) words.pop_back();
    return words;
}

result<word_list> build_command_line(const std::string& manager, const change& change) {
    const auto name = std::filesystem::path(manager).filename().string();
    word_list line{manager};
    word_list options;
    if (name == "apt-get") {
        CHECK_OK(check_for_apt(change));
        options = apt_line(change);
    } else if (name == "dnf" || name == "yum")
        options = dnf_line(change);
    else if (name == "zypper")
        options = zypper_line(change);
    else
        return fail(errc::invalid, "packages.manager: must be apt-get, dnf, yum or zypper");
    line.insert(line.end(), options.begin(), options.end());
    return line;
}

}  // namespace

result<command> parse_package_change(
    const session::task_request& task,
    const command_limits& limits,
    const package_change_options& options) {
    TRY(const auto change, parse_change(task.arguments));
    TRY(const auto manager, find_manager(options.manager));
    TRY(const auto line, build_command_line(manager, change));
    boost::json::array argv;
    for (const auto& word : line) argv.emplace_back(word);
    const boost::json::object command_arguments{
        {"argv", std::move(argv)}, {"env", {{"DEBIAN_FRONTEND", "noninteractive"}}}};
    auto command_task = task;
    command_task.arguments = boost::json::serialize(command_arguments);
    return parse_command(command_task, limits);
}

}  // namespace muster::agent
