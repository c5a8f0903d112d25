#include "services/content/content_service.h"

#include "adapters/repository/address.h"
#include "services/content/architectures.h"

#include <algorithm>
#include <set>
#include <utility>

namespace muster::content {
namespace {

constexpr int attempts_max = 5;
constexpr std::size_t label_bytes_max = 128;
constexpr std::size_t name_bytes_max = 256;
constexpr std::size_t text_bytes_max = 4096;

bool is_label_sign(char sign) {
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z')
           || (sign >= '0' && sign <= '9') || std::string_view("._-").contains(sign);
}

result<void> check_label(std::string_view text, std::string_view label) {
    const bool well = !label.empty() && label.size() <= label_bytes_max
                      && std::ranges::all_of(label, is_label_sign) && label.front() != '-'
                      && label.front() != '.';
    if (well) return {};
    return fail(
        errc::invalid,
        "the label of a " + std::string(text)
            + " has up to 128 letters, digits, dots, hyphens and underscores, and begins with none "
              "of the former two");
}

result<channel_ref> there(const content_store& content, const std::string& label) {
    auto match = content.find<channel>(label);
    if (!match) return fail(errc::not_found, "there is no channel " + label);
    return match;
}

}  // namespace

result<void> content_service::check(const channel& desired) const {
    CHECK_OK(check_label("channel", desired.label()));
    if (desired.name.empty() || desired.name.size() > name_bytes_max)
        return fail(errc::invalid, "a channel's name has 1 to 256 bytes");
    if (desired.summary.size() > text_bytes_max || desired.description.size() > text_bytes_max)
        return fail(errc::invalid, "a channel's summary and description have up to 4096 bytes");
    if (find_arch(desired.arch) == nullptr)
        return fail(
            errc::invalid,
            "there is no channel architecture " + desired.arch
                + "; channel.software.listArches tells them");
    if (desired.repositories.size() > repositories_max)
        return fail(errc::invalid, "a channel has at most 50 repositories");
    if (desired.row.packages.size() > channel_packages_max)
        return fail(errc::invalid, "a channel has at most 300000 packages");
    if (desired.parent.empty()) return {};
    const auto above = content_.find<channel>(desired.parent);
    if (!above) return fail(errc::not_found, "there is no parent channel " + desired.parent);
    if (!above->parent.empty() || above->label() == desired.label())
        return fail(errc::invalid, desired.parent + " is no base channel, and cannot be a parent");
    return {};
}

async<channel_ref> content_service::create(channel desired, std::string by) {
    CO_CHECK_OK(co_await content_.catch_up());
    const auto label = desired.label();
    CO_CHECK_OK(check(desired));
    if (content_.find<channel>(label))
        co_return fail(errc::conflict, "there is a channel " + label + " already");
    for (const auto& each : content_.all<channel>())
        if (each->name == desired.name)
            co_return fail(
                errc::conflict, "the channel " + each->label() + " has this name already");
    if (content_.count<channel>() >= library_limits::channels_max)
        co_return fail(errc::conflict, "there are too many channels already");
    auto row = content_.begun_from(record_kind::channel, label);
    if (row.number == 0) {
        CO_TRY(row.number, co_await numbers_.take(1));
    }
    row.packages = desired.row.packages;
    row.errata = desired.row.errata;
    row.changed_by = std::move(by);
    desired.row = std::move(row);
    CO_CHECK_OK(co_await content_.write(to_record(desired)));
    co_return there(content_, label);
}

async<channel_ref> content_service::clone(
    std::string original, channel channel, bool without_errata, std::string by) {
    CO_CHECK_OK(co_await content_.catch_up());
    CO_TRY(const auto from, there(content_, original));
    channel.row.packages = from->row.packages;
    if (!without_errata) channel.row.errata = from->row.errata;
    channel.original = from->label();
    if (channel.arch.empty()) channel.arch = from->arch;
    if (channel.summary.empty()) channel.summary = from->summary;
    if (without_errata) {
        // What errata brought is not of the first state.
        for (const auto number : from->row.errata) {
            const auto each = content_.find<erratum>(number);
            if (each)
                channel.row.packages = packages::without(channel.row.packages, each->row.packages);
        }
    }
    co_return co_await create(std::move(channel), std::move(by));
}

async<void> content_service::mark_removed(content_record row, std::string by) {
    row.removed = true;
    row.document = "{}";
    row.packages.clear();
    row.errata.clear();
    row.changed_by = std::move(by);
    co_return co_await content_.write(std::move(row));
}

async<void> content_service::remove(std::string label, std::string by) {
    CO_CHECK_OK(co_await content_.catch_up());
    CO_TRY(const auto gone, there(content_, label));
    for (const auto& each : content_.all<channel>())
        if (each->parent == label)
            co_return fail(
                errc::conflict,
                "the channel " + each->label() + " is its child; remove that first");
    for (const auto& each : content_.all<subscription>())
        if (std::ranges::count(each->labels(), label) > 0)
            co_return fail(
                errc::conflict,
                "the system " + each->row.name + " has this channel; give it others first");
    co_return co_await mark_removed(gone->row, std::move(by));
}

async<channel_ref> content_service::change(std::string label, std::string by, edit edit) {
    for (int attempt = 1;; ++attempt) {
        CO_CHECK_OK(co_await content_.catch_up());
        CO_TRY(const auto match, there(content_, label));
        auto changed = *match;
        CO_CHECK_OK(edit(changed));
        CO_CHECK_OK(check(changed));
        changed.row.changed_by = by;
        const auto written = co_await content_.write(to_record(changed));
        if (written) co_return there(content_, label);
        if (written.error().code() != errc::conflict || attempt == attempts_max)
            co_return fail(written.error());
    }
}

result<packages::number_set> content_service::known(
    const std::vector<std::uint32_t>& numbers) const {
    for (const auto number : numbers)
        if (!content_.find_package(number))
            return fail(errc::not_found, "there is no package " + std::to_string(number));
    return packages::make_set(numbers);
}

async<channel_ref> content_service::add_packages(
    std::string label, std::vector<std::uint32_t> numbers, std::string by) {
    CO_CHECK_OK(co_await content_.catch_up());
    CO_TRY(auto desired, known(numbers));
    co_return co_await change(
        std::move(label),
        std::move(by),
        [desired = std::move(desired)](channel& of) -> result<void> {
            of.row.packages = packages::united(of.row.packages, desired);
            return {};
        });
}

async<channel_ref> content_service::remove_packages(
    std::string label, std::vector<std::uint32_t> numbers, std::string by) {
    CO_CHECK_OK(co_await content_.catch_up());
    CO_TRY(auto desired, known(numbers));
    co_return co_await change(
        std::move(label),
        std::move(by),
        [desired = std::move(desired)](channel& of) -> result<void> {
            of.row.packages = packages::without(of.row.packages, desired);
            return {};
        });
}

std::vector<package_ref> content_service::packages_without_channel() const {
    packages::number_set held;
    for (const auto& each : content_.all<channel>())
        held = packages::united(held, each->row.packages);
    auto result = content_.all_packages();
    std::erase_if(result, [&](const package_ref& package_ref) {
        return packages::contains(held, package_ref->number);
    });
    return result;
}

async<void> content_service::remove_package(std::uint32_t number, std::string by) {
    CO_CHECK_OK(co_await content_.catch_up());
    CO_TRY(auto gone, co_await content_.read_package(number));
    if (gone.removed)
        co_return fail(errc::not_found, "there is no package " + std::to_string(number));
    for (const auto& each : content_.all<channel>()) {
        if (!packages::contains(each->row.packages, number)) continue;
        CO_CHECK_OK(co_await remove_packages(each->label(), {number}, by));
    }
    gone.removed = true;
    ++gone.version;
    std::vector<package_row> rows;
    rows.push_back(std::move(gone));
    co_return co_await content_.write(std::move(rows));
}

async<repository_ref> content_service::create_repository(
    std::string label, std::string kind, std::string url, std::string by) {
    CO_CHECK_OK(co_await content_.catch_up());
    CO_CHECK_OK(check_label("repository", label));
    if (kind != "yum" && kind != "deb")
        co_return fail(errc::invalid, "a repository is of the kind yum or deb");
    CO_CHECK_OK(repository::parse_address(url));
    if (content_.find<content_repository>(label))
        co_return fail(errc::conflict, "there is a repository " + label + " already");
    if (content_.count<content_repository>() >= library_limits::repositories_max)
        co_return fail(errc::conflict, "there are too many repositories already");
    content_repository result{
        .row = content_.begun_from(record_kind::repository, label), .kind = kind, .url = url};
    if (result.row.number == 0) {
        CO_TRY(result.row.number, co_await numbers_.take(1));
    }
    result.row.changed_by = std::move(by);
    CO_CHECK_OK(co_await content_.write(to_record(result)));
    co_return content_.find<content_repository>(label);
}

async<repository_ref> content_service::change_repository(
    std::string label, std::string by, std::function<result<void>(content_repository&)> callback) {
    CO_CHECK_OK(co_await content_.catch_up());
    const auto match = content_.find<content_repository>(label);
    if (!match) co_return fail(errc::not_found, "there is no repository " + label);
    auto changed = *match;
    CO_CHECK_OK(callback(changed));
    CO_CHECK_OK(repository::parse_address(changed.url));
    changed.row.changed_by = std::move(by);
    CO_CHECK_OK(co_await content_.write(to_record(changed)));
    co_return content_.find<content_repository>(label);
}

async<void> content_service::remove_repository(std::string label, std::string by) {
    CO_CHECK_OK(co_await content_.catch_up());
    const auto match = content_.find<content_repository>(label);
    if (!match) co_return fail(errc::not_found, "there is no repository " + label);
    for (const auto& each : content_.all<channel>())
        if (std::ranges::count(each->repositories, label) > 0)
            co_return fail(
                errc::conflict,
                "the channel " + each->label() + " has it; take it off there first");
    co_return co_await mark_removed(match->row, std::move(by));
}

}  // namespace muster::content
