;;; compilelint.el --- Lint torch.compile while you type, with eglot -*- lexical-binding: t -*-

;; Put this file on your `load-path' and (require 'compilelint) into your init file.  Eglot is built in from Emacs 29 on;
;; before, it is a package.  Eglot runs one server a mode: if you use another for Python, put both behind a multiplexer
;; such as lspx, or use lsp-mode with `:add-on? t'.

;;; Code:

(require 'eglot)

(add-to-list 'eglot-server-programs '((python-mode python-ts-mode) . ("compilelint" "server")))

(add-hook 'python-mode-hook #'eglot-ensure)
(when (boundp 'python-ts-mode-hook)
  (add-hook 'python-ts-mode-hook #'eglot-ensure))

(provide 'compilelint)
;;; compilelint.el ends here
