# a function inside of main is compiled and gets one size; pair_of=local_function_sizes
import torch


def main():
    weight = torch.randn(4, 4)

    @torch.compile(backend="eager")
    def project(x):
        return x @ weight

    for n in (2, 3, 4):
        for _ in range(n):
            project(torch.randn(8, 4))


if __name__ == "__main__":
    main()
