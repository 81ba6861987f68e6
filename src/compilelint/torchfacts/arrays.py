"""Which of NumPy's functions Dynamo traces: those that `torch._numpy` implements over tensors.

Any other function of NumPy ends the graph ("attempted to trace numpy function unsupported by PyTorch"). The names are
those of `torch._numpy` in torch 2.13 and 2.15, where they are the same; a test asks the installed torch.
"""

from __future__ import annotations

TRACED = {
    "numpy": frozenset(
        """
        abs absolute add all allclose amax amin angle any append arange arccos arccosh arcsin arcsinh arctan arctan2
        arctanh argmax argmin argsort argwhere around array array_equal array_equiv array_split asarray
        ascontiguousarray atleast_1d atleast_2d atleast_3d average bartlett bincount bitwise_and bitwise_not bitwise_or
        bitwise_xor blackman bool_ broadcast_arrays broadcast_shapes broadcast_to byte can_cast cbrt cdouble ceil choose
        clip column_stack common_type complex128 complex64 complexfloating concatenate conj conjugate convolve copy
        copysign copyto corrcoef correlate cos cosh count_nonzero cov cross csingle cumprod cumsum deg2rad degrees diag
        diag_indices diag_indices_from diagflat diagonal diff divide divmod dot double dsplit dstack dtype einsum empty
        empty_like equal exp exp2 expand_dims expm1 eye fabs fill_diagonal finfo fix flatnonzero flip fliplr flipud
        float16 float32 float64 float_power floating floor floor_divide fmax fmin fmod from_dlpack full full_like gcd
        generic geomspace gradient greater greater_equal half hamming hanning heaviside histogram histogram2d
        histogramdd hsplit hstack hypot i0 identity iinfo imag indices inexact inner int16 int32 int64 int8 int_ intc
        integer intp invert isclose iscomplex iscomplexobj isfinite isinf isnan isneginf isposinf isreal isrealobj
        isscalar issubdtype kaiser kron lcm ldexp left_shift less less_equal linspace log log10 log1p log2 logaddexp
        logaddexp2 logical_and logical_not logical_or logical_xor logspace longlong matmul max maximum mean median
        meshgrid min min_scalar_type minimum mod modf moveaxis multiply nan_to_num ndarray ndim negative nextafter
        nonzero not_equal number ones ones_like outer pad percentile positive power prod ptp put put_along_axis quantile
        rad2deg radians ravel real real_if_close reciprocal remainder repeat reshape resize result_type right_shift rint
        roll rollaxis rot90 round row_stack searchsorted shape short sign signbit signedinteger sin sinc single sinh
        size sort split sqrt square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile
        trace transpose tri tril tril_indices tril_indices_from triu triu_indices triu_indices_from true_divide trunc
        ubyte uint16 uint32 uint64 uint8 ulonglong unique unsignedinteger vander var vdot vsplit vstack where zeros
        zeros_like
        """.split()
    ),
    "numpy.linalg": frozenset(
        """
        LinAlgError cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_power matrix_rank multi_dot norm pinv
        qr slogdet solve svd tensorinv tensorsolve
        """.split()
    ),
    "numpy.random": frozenset(
        "choice normal rand randint randn random random_sample sample seed shuffle uniform".split()
    ),
    "numpy.fft": frozenset(
        """
        fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq
        rfftn
        """.split()
    ),
}
"""By module; what a draw of a single random number does is measured name by name."""

ALIASES = frozenset(
    """
    acos acosh asin asinh atan atan2 atanh bitwise_invert bitwise_left_shift bitwise_right_shift bool concat long
    permute_dims pow uint uintc uintp ulong ushort
    """.split()
)
"""Names that NumPy 2 gave to functions above: the same objects, so they are traced likewise."""


UNTRACED_ATTRIBUTES = frozenset({"base", "flags", "dtype"})
"""Attributes of an array that Dynamo does not know (`NumpyNdarrayVariable` of torch 2.13 and 2.15 names them)."""


def leaves_graph(name: str) -> bool:
    """Whether a call of this NumPy function or class, or a read of this attribute of arrays, cannot be traced.

    `name` is dotted; False for what belongs to other modules.
    """
    module, _, function = name.rpartition(".")
    if module == "numpy.ndarray":
        return function in UNTRACED_ATTRIBUTES
    known = TRACED.get(module)
    return known is not None and function not in known and function not in ALIASES
