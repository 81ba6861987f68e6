"""Operations that a capture may refuse."""

import torch
from torch.nn import functional as F


def sparse_product(x):
    return torch.sparse.mm(x.to_sparse(), x.t())


def make_sparse_product():
    return sparse_product, [((torch.randn(3, 4),), {})]


def dense_product(x):
    return x @ x.t()


def make_dense_product():
    return dense_product, [((torch.randn(3, 4),), {})]


def sparse_made(x, i):
    return torch.sparse_coo_tensor(i, x, (3, 4)).to_dense()


def make_sparse_made():
    return sparse_made, [((torch.randn(2), torch.tensor([[0, 1], [2, 0]])), {})]


def distinct(x):
    return torch.unique(x)


def make_distinct():
    return distinct, [((torch.tensor([1, 2, 2]),), {})]


def counted(x):
    return torch.bincount(x, minlength=5)


def make_counted():
    return counted, [((torch.tensor([1, 2, 2]),), {})]


def histogram(x):
    return torch.histc(x, bins=4, min=-1, max=1)


def make_histogram():
    return histogram, [((torch.randn(9),), {})]


def positions(x):
    return torch.nonzero(x)


def make_positions():
    return positions, [((torch.tensor([1, 0, 2]),), {})]


def positions_of_size(x):
    return torch.nonzero_static(x, size=3)


def make_positions_of_size():
    return positions_of_size, [((torch.tensor([1, 0, 2]),), {})]


def largest(x):
    return torch.topk(x, 2).values


def make_largest():
    return largest, [((torch.randn(3, 4),), {})]


def distances(x, y):
    return torch.cdist(x, y)


def make_distances():
    return distances, [((torch.randn(3, 4), torch.randn(5, 4)), {})]


def inverse(x):
    return torch.linalg.inv(x + 5 * torch.eye(4, device=x.device))


def make_inverse():
    return inverse, [((torch.randn(4, 4),), {})]


def inverse_unchecked(x):
    return torch.linalg.inv_ex(x + 5 * torch.eye(4, device=x.device)).inverse


def make_inverse_unchecked():
    return inverse_unchecked, [((torch.randn(4, 4),), {})]


def solved(x, b):
    return torch.linalg.solve(x + 5 * torch.eye(4, device=x.device), b)


def make_solved():
    return solved, [((torch.randn(4, 4), torch.randn(4, 2)), {})]


def cholesky(x):
    return torch.linalg.cholesky(x @ x.mT + torch.eye(4, device=x.device))


def make_cholesky():
    return cholesky, [((torch.randn(4, 4),), {})]


def eigen(x):
    return torch.linalg.eigvalsh(x + x.mT)


def make_eigen():
    return eigen, [((torch.randn(4, 4),), {})]


def singular(x):
    return torch.linalg.svdvals(x)


def make_singular():
    return singular, [((torch.randn(4, 4),), {})]


def orthogonal(x):
    return torch.linalg.qr(x).Q


def make_orthogonal():
    return orthogonal, [((torch.randn(4, 4),), {})]


def determinant(x):
    return torch.linalg.det(x)


def make_determinant():
    return determinant, [((torch.randn(4, 4),), {})]


def least_squares(x, b):
    return torch.linalg.lstsq(x, b).solution


def make_least_squares():
    return least_squares, [((torch.randn(5, 4), torch.randn(5, 2)), {})]


def matrix_exponential(x):
    return torch.linalg.matrix_exp(x)


def make_matrix_exponential():
    return matrix_exponential, [((torch.randn(4, 4),), {})]


def norm(x):
    return torch.linalg.vector_norm(x, dim=-1)


def make_norm():
    return norm, [((torch.randn(4, 4),), {})]


def spectrum(x):
    return torch.fft.rfft(x).abs()


def make_spectrum():
    return spectrum, [((torch.randn(3, 8),), {})]


def spectrogram(x):
    return torch.stft(x, 8, window=torch.ones(8, device=x.device), return_complex=True).abs()


def make_spectrogram():
    return spectrogram, [((torch.randn(2, 32),), {})]


def ctc(x, t):
    return F.ctc_loss(x.log_softmax(-1), t, (6, 6), (2, 2))


def make_ctc():
    return ctc, [((torch.randn(6, 2, 5), torch.randint(1, 5, (2, 2))), {})]


def bag(i, w):
    return F.embedding_bag(i, w)


def make_bag():
    return bag, [((torch.randint(0, 5, (2, 3)), torch.randn(5, 4)), {})]


def looked_up(i, w):
    return F.embedding(i, w)


def make_looked_up():
    return looked_up, [((torch.randint(0, 5, (2, 3)), torch.randn(5, 4)), {})]


def looked_up_limited(i, w):
    return F.embedding(i, w.clone(), max_norm=1.0)


def make_looked_up_limited():
    return looked_up_limited, [((torch.randint(0, 5, (2, 3)), torch.randn(5, 4)), {})]


def repeated_by_tensor(x, n):
    return torch.repeat_interleave(x, n, dim=0)


def make_repeated_by_tensor():
    return repeated_by_tensor, [((torch.randn(3, 4), torch.tensor([1, 2, 1])), {})]


def repeated_by_tensor_sized(x, n):
    return torch.repeat_interleave(x, n, dim=0, output_size=4)


def make_repeated_by_tensor_sized():
    return repeated_by_tensor_sized, [((torch.randn(3, 4), torch.tensor([1, 2, 1])), {})]


def repeated_by_number(x):
    return torch.repeat_interleave(x, 2, dim=0)


def make_repeated_by_number():
    return repeated_by_number, [((torch.randn(3, 4),), {})]


def searched(x, y):
    return torch.searchsorted(x, y)


def make_searched():
    return searched, [((torch.arange(4.0), torch.randn(3)), {})]


def bucketed(x, y):
    return torch.bucketize(x, y)


def make_bucketed():
    return bucketed, [((torch.randn(3), torch.arange(4.0)), {})]


def middle(x):
    return x.median(dim=-1).values


def make_middle():
    return middle, [((torch.randn(3, 5),), {})]


def most_frequent(x):
    return torch.mode(x, dim=-1).values


def make_most_frequent():
    return most_frequent, [((torch.randint(0, 3, (3, 5)),), {})]


def sampled_grid(x, g):
    return F.grid_sample(x, g, align_corners=False)


def make_sampled_grid():
    return sampled_grid, [((torch.randn(1, 2, 4, 4), torch.rand(1, 3, 3, 2)), {})]


def resized(x):
    return F.interpolate(x, scale_factor=2, mode="bilinear")


def make_resized():
    return resized, [((torch.randn(1, 2, 4, 4),), {})]


def convolved(x, w):
    return F.conv2d(x, w)


def make_convolved():
    return convolved, [((torch.randn(1, 2, 4, 4), torch.randn(3, 2, 2, 2)), {})]


def pooled(x):
    return F.adaptive_avg_pool2d(x, 2)


def make_pooled():
    return pooled, [((torch.randn(1, 2, 5, 5),), {})]


def unpooled(x):
    return F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2)


def make_unpooled():
    return unpooled, [((torch.randn(1, 2, 4, 4),), {})]


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def make_attention():
    return attention, [((torch.randn(1, 2, 3, 4), torch.randn(1, 2, 3, 4), torch.randn(1, 2, 3, 4)), {})]


def attention_causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def make_attention_causal():
    return attention_causal, [((torch.randn(1, 2, 3, 4), torch.randn(1, 2, 3, 4), torch.randn(1, 2, 3, 4)), {})]


def quantiles(x):
    return torch.quantile(x, 0.5, dim=-1)


def make_quantiles():
    return quantiles, [((torch.randn(3, 5),), {})]


def gumbel(x):
    return F.gumbel_softmax(x, hard=True)


def make_gumbel():
    return gumbel, [((torch.randn(3, 5),), {})]


def poisson(x):
    return torch.poisson(x.abs())


def make_poisson():
    return poisson, [((torch.randn(3, 5),), {})]


def normal_of(x):
    return torch.normal(x, 1.0)


def make_normal_of():
    return normal_of, [((torch.randn(3, 5),), {})]


def contained(x, y):
    return torch.isin(x, y)


def make_contained():
    return contained, [((torch.tensor([1, 2, 3]), torch.tensor([2, 5])), {})]


def combined(x):
    return torch.combinations(x)


def make_combined():
    return combined, [((torch.randn(4),), {})]


def paired(x, y):
    return torch.cartesian_prod(x, y)


def make_paired():
    return paired, [((torch.randn(3), torch.randn(2)), {})]


def diagonal_blocks(x, y):
    return torch.block_diag(x, y)


def make_diagonal_blocks():
    return diagonal_blocks, [((torch.randn(3, 2), torch.randn(2, 2)), {})]


def lower_indices(x):
    return x[torch.tril_indices(4, 4, device=x.device).unbind()]


def make_lower_indices():
    return lower_indices, [((torch.randn(4, 4),), {})]


def lower_indices_host(x):
    return x[torch.tril_indices(4, 4).unbind()]


def make_lower_indices_host():
    return lower_indices_host, [((torch.randn(4, 4),), {})]


def multiplied_complex(x):
    return torch.view_as_real(torch.view_as_complex(x) * 1j)


def make_multiplied_complex():
    return multiplied_complex, [((torch.randn(3, 4, 2),), {})]


def polar(x):
    return torch.view_as_real(torch.polar(torch.ones_like(x), x))


def make_polar():
    return polar, [((torch.randn(3, 4),), {})]


def scaled_by_group(x):
    return F.group_norm(x, 2)


def make_scaled_by_group():
    return scaled_by_group, [((torch.randn(2, 4, 3),), {})]


def selected_values(x, m):
    return torch.masked_select(x, m)


def make_selected_values():
    return selected_values, [((torch.randn(3, 4), torch.rand(3, 4) > 0.5), {})]


def where_positions(x):
    return torch.where(x > 0)[0]


def make_where_positions():
    return where_positions, [((torch.randn(5),), {})]


def where_values(x):
    return torch.where(x > 0, x, 0.0)


def make_where_values():
    return where_values, [((torch.randn(5),), {})]


def softmax_of_sparse(x):
    return torch.sparse.softmax(x.to_sparse(), dim=1).to_dense()


def make_softmax_of_sparse():
    return softmax_of_sparse, [((torch.randn(3, 4),), {})]


def cross_entropy(x, t):
    return F.cross_entropy(x, t)


def make_cross_entropy():
    return cross_entropy, [((torch.randn(3, 5), torch.tensor([0, 1, 4])), {})]


def smoothed_loss(x, t):
    return F.cross_entropy(x, t, label_smoothing=0.1, ignore_index=-100)


def make_smoothed_loss():
    return smoothed_loss, [((torch.randn(3, 5), torch.tensor([0, 1, 4])), {})]


def sorted_stable(x):
    return torch.sort(x, stable=True).indices


def make_sorted_stable():
    return sorted_stable, [((torch.randn(3, 5),), {})]


def cumulative_logsum(x):
    return torch.logcumsumexp(x, -1)


def make_cumulative_logsum():
    return cumulative_logsum, [((torch.randn(3, 5),), {})]


def convolved_back(x, w):
    return F.conv_transpose1d(x, w, stride=2)


def make_convolved_back():
    return convolved_back, [((torch.randn(1, 2, 4), torch.randn(2, 3, 2)), {})]


def unfolded(x):
    return F.unfold(x, 2)


def make_unfolded():
    return unfolded, [((torch.randn(1, 2, 4, 4),), {})]


def segments(x, n):
    return torch.segment_reduce(x, "sum", lengths=n)


def make_segments():
    return segments, [((torch.randn(4), torch.tensor([1, 3])), {})]


def packed(x):
    return torch._foreach_mul([x, x + 1], 2.0)[1]


def make_packed():
    return packed, [((torch.randn(4),), {})]
