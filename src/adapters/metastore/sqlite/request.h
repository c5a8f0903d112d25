#pragma once

#include "adapters/metastore/sqlite/delta.h"
#include "base/result.h"
#include "base/time.h"
#include "core/kv/store.h"
#include "ports/async.h"

#include <cstddef>
#include <optional>
#include <utility>

namespace muster::metastore_sqlite {

// What a request is evaluated against, on the store thread.
struct evaluation {
    kv::store& store;
    delta& changes;
    instant now;
};

enum class access { read, write };

// Something a caller waits for. First it is evaluated; when its group is in the file it is
// answered, otherwise it is refused. One of the two happens, once.
class request {
public:
    request(access kind, std::size_t bytes) : kind_(kind), bytes_(bytes) {}
    request(const request&) = delete;
    request& operator=(const request&) = delete;
    virtual ~request() = default;

    access kind() const { return kind_; }
    std::size_t bytes() const { return bytes_; }

    virtual void evaluate(evaluation& in) = 0;
    virtual void answer() = 0;
    virtual void refuse(const error& why) = 0;

private:
    access kind_;
    std::size_t bytes_;
};

// `Evaluate` is called with evaluation& and returns result<T>.
template <class T, class Evaluate>
class request_of final : public request {
public:
    request_of(access kind, std::size_t bytes, Evaluate evaluate, completion<T> done)
        : request(kind, bytes), evaluate_(std::move(evaluate)), done_(std::move(done)) {}

    void evaluate(evaluation& in) override { outcome_ = evaluate_(in); }
    void answer() override { done_(*std::move(outcome_)); }
    void refuse(const error& why) override { done_(fail(why)); }

private:
    Evaluate evaluate_;
    completion<T> done_;
    std::optional<result<T>> outcome_;
};

}  // namespace muster::metastore_sqlite
