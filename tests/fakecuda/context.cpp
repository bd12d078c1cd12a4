// Contexts, streams, events. Work is done when it is queued.
#include "fakecuda.hpp"

using namespace fake;

namespace {

// What a stream answers: of lost work its code, once and for all if that is sticky.
int outcome(Object *stream) {
    const int code = stream->lost;
    stream->lost = 0;
    if (sticky(code)) {
        state.sticky = code;
    }
    return code;
}

int with(const void *object, Kind kind) {
    if (int code = need_context()) {
        return code;
    }
    return valid(object, kind) ? SUCCESS : INVALID_HANDLE;
}

int made(void **object, Kind kind) {
    if (int code = need_context()) {
        return code;
    }
    *object = make(kind, current);
    return SUCCESS;
}

Object *primary = nullptr;
int primary_users = 0;

int destroyed(void *object, Kind kind) {
    if (int code = with(object, kind)) {
        return code;
    }
    destroy(static_cast<Object *>(object));
    return SUCCESS;
}

} // namespace

API(cuCtxCreate_v2, (void **context, unsigned flags, int device), (context, flags, device)) {
    if (!state.initialised) {
        return NOT_INITIALIZED;
    }
    if (device != 0 || flags > 31) {
        return INVALID_VALUE;
    }
    current = make(Kind::context, nullptr);
    *context = current;
    return SUCCESS;
}

API_SURVIVES(cuCtxDestroy_v2, (void *context), (context)) {
    if (!valid(context, Kind::context)) {
        return INVALID_CONTEXT;
    }
    never_returns_if_hung("cuCtxDestroy_v2");
    destroy(static_cast<Object *>(context));
    return SUCCESS;
}

API(cuCtxSetCurrent, (void *context), (context)) {
    if (context != nullptr && !valid(context, Kind::context)) {
        return INVALID_CONTEXT;
    }
    current = static_cast<Object *>(context);
    return SUCCESS;
}

// One context a device, alive while it is retained.
API(cuDevicePrimaryCtxRetain, (void **context, int device), (context, device)) {
    if (!state.initialised) {
        return NOT_INITIALIZED;
    }
    if (device != 0) {
        return INVALID_DEVICE;
    }
    if (primary_users++ == 0) {
        primary = make(Kind::context, nullptr);
    }
    *context = primary;
    return SUCCESS;
}

API_SURVIVES(cuDevicePrimaryCtxRelease, (int device), (device)) {
    if (device != 0 || primary_users == 0) {
        return INVALID_CONTEXT;
    }
    never_returns_if_hung("cuDevicePrimaryCtxRelease");
    if (--primary_users == 0) {
        destroy(primary);
    }
    return SUCCESS;
}

API(cuStreamCreate, (void **stream, unsigned flags), (stream, flags)) {
    return flags > 1 ? int(INVALID_VALUE) : made(stream, Kind::stream);
}

API(cuStreamDestroy_v2, (void *stream), (stream)) {
    never_returns_if_hung("cuStreamDestroy_v2");
    return destroyed(stream, Kind::stream);
}

API(cuStreamQuery, (void *stream), (stream)) {
    if (int code = with(stream, Kind::stream)) {
        return code;
    }
    Object *object = static_cast<Object *>(stream);
    return catch_up(object) || object->hung ? int(NOT_READY) : outcome(object);
}

API(cuStreamSynchronize, (void *stream), (stream)) {
    if (int code = with(stream, Kind::stream)) {
        return code;
    }
    never_returns_if_hung("cuStreamSynchronize");
    catch_up(static_cast<Object *>(stream));
    return outcome(static_cast<Object *>(stream));
}

API(cuEventCreate, (void **event, unsigned flags), (event, flags)) {
    return flags > 7 ? int(INVALID_VALUE) : made(event, Kind::event);
}

API(cuEventDestroy_v2, (void *event), (event)) { return destroyed(event, Kind::event); }

API(cuEventRecord, (void *event, void *stream), (event, stream)) {
    const int code = with(event, Kind::event);
    return code ? code : with(stream, Kind::stream);
}

API(cuEventSynchronize, (void *event), (event)) {
    never_returns_if_hung("cuEventSynchronize");
    return with(event, Kind::event);
}

API(cuEventElapsedTime, (float *milliseconds, void *start, void *end), (milliseconds, start, end)) {
    *milliseconds = 1.5f;
    const int code = with(start, Kind::event);
    return code ? code : with(end, Kind::event);
}
