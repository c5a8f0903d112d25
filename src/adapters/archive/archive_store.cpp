#include "adapters/archive/archive_store.h"

#include "base/assert.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace muster::archive {
namespace {

result<void> check_files(const std::filesystem::path& directory, const manifest& known) {
    for (const auto& each : known.files) {
        std::error_code failure;
        const auto bytes = std::filesystem::file_size(directory / each.name, failure);
        if (!failure && bytes == each.bytes) continue;
        return fail(
            errc::corrupt,
            fmt::format(
                "{} has not the {} bytes that {} says; bring it back, or remove the manifest to "
                "have what is left in the ledger archived anew",
                (directory / each.name).string(),
                each.bytes,
                manifest_name(known.from, known.part)));
    }
    return {};
}

}  // namespace

archive_store::~archive_store() {
    thread_.join();
}

template <class T>
async<T> archive_store::perform(std::function<result<T>()> work) {
    co_return co_await completed<T>([this, work = std::move(work)](completion<T> done) mutable {
        boost::asio::post(
            thread_, [work = std::move(work), done = std::move(done)] { done(work()); });
    });
}

async<std::optional<manifest>> archive_store::find(wall_time from) {
    using found = std::optional<manifest>;
    std::function<result<found>()> work = [this, from]() -> result<found> {
        auto known = load_manifest(directory_ / manifest_name(from));
        if (!known && known.error().code() == errc::not_found) return found();
        if (!known) return fail(known.error());
        CHECK_OK(check_files(directory_, *known));
        return found(*std::move(known));
    };
    co_return co_await perform(std::move(work));
}

async<bool> archive_store::adopt(manifest on_record) {
    std::function<result<bool>()> work = [this, noted = std::move(on_record)]() -> result<bool> {
        const auto known = load_manifest(directory_ / manifest_name(noted.from, noted.part));
        if (known) {
            CHECK_OK(check_files(directory_, *known));
            return true;
        }
        if (known.error().code() != errc::not_found) return fail(known.error());
        if (noted.files.empty() || !check_files(directory_, noted)) return false;
        CHECK_OK(save_manifest(directory_, noted));
        return true;
    };
    co_return co_await perform(std::move(work));
}

async<void> archive_store::begin(place where) {
    std::function<result<void>()> work = [this, where = std::move(where)]() -> result<void> {
        std::error_code failure;
        std::filesystem::create_directories(directory_, failure);
        if (failure)
            return fail(
                errc::unavailable,
                fmt::format("cannot make {}: {}", directory_.string(), failure.message()));
        writing_.reset();
        const auto name = file_name(where.table, where.from, where.part);
        TRY(writing_, file_writer::create(directory_ / name));
        table_ = where.table;
        return {};
    };
    co_return co_await perform(std::move(work));
}

async<void> archive_store::append(std::function<result<void>(file_writer&)> put) {
    std::function<result<void>()> work = [this, put = std::move(put)]() -> result<void> {
        MUSTER_ASSERT(writing_.has_value());
        return put(*writing_);
    };
    co_return co_await perform(std::move(work));
}

async<kept_file> archive_store::end() {
    std::function<result<kept_file>()> work = [this]() -> result<kept_file> {
        MUSTER_ASSERT(writing_.has_value());
        auto told = writing_->finish();
        writing_.reset();
        if (told) told->table = table_;
        return told;
    };
    co_return co_await perform(std::move(work));
}

async<void> archive_store::conclude(manifest what) {
    std::function<result<void>()> work = [this, what = std::move(what)] {
        return save_manifest(directory_, what);
    };
    co_return co_await perform(std::move(work));
}

}  // namespace muster::archive
